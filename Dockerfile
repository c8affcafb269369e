# The image of the action. Plain builder on purpose: some runners have no BuildKit, so no mounts and no here-documents.
# A release passes the base by digest: --build-arg BASE=python:3.11-slim-bookworm@sha256:…
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /build
COPY requirements.lock requirements-build.lock ./
RUN python -m venv /build/tools \
    && /build/tools/bin/python -m pip install --no-cache-dir --require-hashes -r requirements-build.lock \
    && python -m venv --without-pip /opt/gatebot \
    && python -m pip --python /opt/gatebot/bin/python install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY gatebot ./gatebot
RUN /build/tools/bin/python -m pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /build/dist . \
    && python -m pip --python /opt/gatebot/bin/python install --no-deps --no-index /build/dist/*.whl

FROM ${BASE}
LABEL org.opencontainers.image.title="gatebot" \
      org.opencontainers.image.description="A pull-request gate that stops AI agents from getting worse unnoticed" \
      org.opencontainers.image.licenses="Apache-2.0"
# The workspace belongs to the runner's user, gatebot starts as root: git would refuse it as of dubious ownership.
# No program of the image needs to change its user by a file's mode, so none may.
RUN apt-get update \
    && apt-get install -y --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && printf '[safe]\n\tdirectory = *\n' > /etc/gitconfig \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY --from=build /opt/gatebot /opt/gatebot
# Root, as GitHub asks of container actions; agents run under users of their own.
# -I: neither the working directory nor a PYTHON* variable can put a module in front of ours.
ENTRYPOINT ["/usr/bin/tini", "--", "/opt/gatebot/bin/python", "-I", "-m", "gatebot"]
CMD ["--help"]
