// A thread that answers where it keeps what its code compiles to.
import { getCompileCacheDir } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { READY } from '../../src/redact/asked-thread.ts';

parentPort?.on('message', ({ id }) => parentPort?.postMessage({ id, folder: getCompileCacheDir() }));
parentPort?.postMessage(READY);
