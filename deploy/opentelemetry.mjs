// An example: sends Causeway's spans to an OpenTelemetry collector. Loaded before the service, see docs/operating.md:
//   NODE_OPTIONS=--import=/opt/causeway-tracing/opentelemetry.mjs OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 causeway serve
// The SDK is not among Causeway's own packages: it takes more room than all of them together need. It lies beside a copy of this file:
//   mkdir /opt/causeway-tracing && cd /opt/causeway-tracing && npm install --ignore-scripts @opentelemetry/sdk-node@0.301.0

let sdk;
try {
  sdk = await import('@opentelemetry/sdk-node');
} catch (error) {
  process.stderr.write(
    `${import.meta.filename}: @opentelemetry/sdk-node is not installed beside it (${error.code}): run "npm install --ignore-scripts @opentelemetry/sdk-node@0.301.0" in its folder, or start without --import.\n`,
  );
  process.exit(1);
}

// Where spans go, how many, and under which name is said by the OTEL_… variables of OpenTelemetry.
process.env.OTEL_SERVICE_NAME ??= 'causeway';
// Figures are read from /metrics, and the log goes where standard error goes: spans alone are sent.
process.env.OTEL_METRICS_EXPORTER ??= 'none';
process.env.OTEL_LOGS_EXPORTER ??= 'none';

const tracing = new sdk.NodeSDK({ instrumentations: [] });
tracing.start();

// Causeway ends by itself at SIGTERM: what was not sent yet is sent then, for as long as its last second lasts.
let isEnding = false;
process.on('beforeExit', async () => {
  if (isEnding) return;
  isEnding = true;
  await tracing.shutdown().catch(() => {});
});
