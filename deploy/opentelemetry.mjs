// An example: sends Causeway's spans to an OpenTelemetry collector. Loaded before the service, see docs/operating.md:
//   NODE_OPTIONS=--import=/opt/causeway-tracing/opentelemetry.mjs OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 causeway serve
// The SDK is not one of Causeway's dependencies: it is larger than all of them together. Install it next to a copy of this file:
//   mkdir /opt/causeway-tracing && cd /opt/causeway-tracing && npm install --ignore-scripts @opentelemetry/sdk-node@0.301.0

let sdk;
try {
  sdk = await import('@opentelemetry/sdk-node');
} catch (error) {
  process.stderr.write(
    `${import.meta.filename}: @opentelemetry/sdk-node is not installed next to it (${error.code}): run "npm install --ignore-scripts @opentelemetry/sdk-node@0.301.0" in its folder, or start without --import.\n`,
  );
  process.exit(1);
}

// The OTEL_… variables of OpenTelemetry set the destination, sampling and service name.
process.env.OTEL_SERVICE_NAME ??= 'causeway';
// Sends only spans: metrics are read from /metrics, and the log goes to standard error.
process.env.OTEL_METRICS_EXPORTER ??= 'none';
process.env.OTEL_LOGS_EXPORTER ??= 'none';

const tracing = new sdk.NodeSDK({ instrumentations: [] });
tracing.start();

// Causeway exits on SIGTERM; remaining spans are sent in its last second.
let isEnding = false;
process.on('beforeExit', async () => {
  if (isEnding) return;
  isEnding = true;
  await tracing.shutdown().catch(() => {});
});
