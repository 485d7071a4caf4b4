#!/usr/bin/env bash
# Checks the definitions for other programs: workflows, the image, the manifests for Kubernetes.
# Overlays are rendered and checked where kubectl is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
kubernetes=1.31.0 rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT

actionlint .github/workflows/*.yml
hadolint Dockerfile
cp scripts/kubernetes/base/[!k]*.yaml scripts/kubernetes/*/volume.yaml "$rendered"
for overlay in directory bucket; do
    if command -v kubectl >/dev/null; then
        kubectl kustomize "scripts/kubernetes/$overlay" > "$rendered/$overlay.yaml"
    else
        echo "scripts/kubernetes/$overlay is not rendered: kubectl is missing" >&2
    fi
done
kubernetes-validate --strict -k "$kubernetes" "$rendered"/*.yaml
target/tools/bin/python scripts/check_keda.py scripts/kubernetes/keda/scale.yaml
