# The image of the action. Plain builder on purpose: some runners have no BuildKit, so no mounts and no here-documents.
# A release passes the base by digest: --build-arg BASE=python:3.11-slim-bookworm@sha256:…
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /build
RUN apt-get update \
    && apt-get install -y --no-install-recommends binutils \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.lock requirements-build.lock requirements-image.lock tools/slim.sh ./
RUN python -m venv /build/tools \
    && /build/tools/bin/python -m pip install --no-cache-dir --no-compile --require-hashes \
        -r requirements-build.lock -r requirements-image.lock \
    && python -m venv --without-pip /opt/gatebot \
    && python -m pip --python /opt/gatebot/bin/python install --no-cache-dir --no-compile --require-hashes -r requirements.lock \
    && ./slim.sh /opt/gatebot
COPY pyproject.toml README.md LICENSE tools/warm.py ./
COPY gatebot ./gatebot
# Only what gatebot can reach is compiled: that is what its start waits for. What it reaches and is not there ends the build.
# The bill of materials lists what is there in the end, not what was asked for.
RUN /build/tools/bin/python -m pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /build/dist . \
    && python -m pip --python /opt/gatebot/bin/python install --no-compile --no-deps --no-index /build/dist/*.whl \
    && /opt/gatebot/bin/python -I warm.py \
    && mkdir -p /opt/gatebot/share/gatebot \
    && /build/tools/bin/cyclonedx-py environment /opt/gatebot/bin/python --output-reproducible --output-format JSON \
        --output-file /opt/gatebot/share/gatebot/sbom.cdx.json

FROM ${BASE}
ARG VERSION=0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="gatebot" \
      org.opencontainers.image.description="A pull-request gate that stops AI agents from getting worse unnoticed" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# No git: repositories are read by a library that asks nobody who owns the workspace.
# No program of the image needs to change its user by a file's mode, so none may.
RUN apt-get update \
    && apt-get install -y --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY --from=build /opt/gatebot /opt/gatebot
# Root, as GitHub asks of container actions; agents run under users of their own.
# -I: neither the working directory nor a PYTHON* variable can put a module in front of ours.
ENTRYPOINT ["/usr/bin/tini", "--", "/opt/gatebot/bin/python", "-I", "-m", "gatebot"]
CMD ["--help"]
