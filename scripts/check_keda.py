#!/usr/bin/env python3
"""Checks KEDA's ScaledObject in a manifest against the models of its CRD: types, required and unknown fields.

    scripts/check_keda.py MANIFEST      with the package cloudcoil.models.keda
"""

import sys

import yaml
from cloudcoil.models.keda.v1alpha1 import ScaledObject

with open(sys.argv[1], encoding="utf-8") as file:
    manifest = yaml.safe_load(file)
# The models leave out fields that they do not know.
known = ScaledObject.model_validate(manifest).model_dump(mode="json", by_alias=True, exclude_unset=True)
if known != manifest:
    sys.exit(f"{sys.argv[1]} has fields that a ScaledObject does not have. The known ones: {known}")
