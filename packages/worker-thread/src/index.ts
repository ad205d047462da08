// One worker thread that answers one request at a time, and is replaced when it hangs, dies or wants too much memory.
export { WorkerClient, WorkerClosed } from './client.ts';
export { IS_BUILT, locate } from './locate.ts';
export { serveRequests } from './serve.ts';
