# A small image with the program alone, not run as root.
#
#   docker build -t crownhead .
#   docker run --rm -v runs:/runs crownhead train english
#   docker run --rm -p 8080:8080 -v runs:/runs crownhead serve --lan --port 8080
FROM rust:1.95.0-slim-bookworm AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends gcc git libc6-dev musl-tools && rm -rf /var/lib/apt/lists/*
RUN rustup target add x86_64-unknown-linux-musl
WORKDIR /source
COPY . .
RUN cargo build --profile dist --locked -p crownhead --target x86_64-unknown-linux-musl \
    && install -D -m 755 target/x86_64-unknown-linux-musl/dist/crownhead /root-of-image/usr/bin/crownhead \
    && install -d -m 1777 /root-of-image/tmp \
    && install -d -o 10001 -g 10001 /root-of-image/runs /root-of-image/home

FROM scratch
COPY --from=build /root-of-image/ /
ENV HOME=/home
USER 10001:10001
WORKDIR /
VOLUME /runs
EXPOSE 8080
ENTRYPOINT ["/usr/bin/crownhead"]
CMD ["--help"]
