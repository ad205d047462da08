// The REST API: routes, schemas, its description, and the server that all HTTP goes through.

export { createApi } from './api.ts';
export type { ApiDeps, ReadinessCheck } from './api-deps.ts';
export { createOperatorApi } from './operator-api.ts';
export { type RunningServer, startServer } from './server.ts';
