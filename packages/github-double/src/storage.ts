// The storage host, to which logs, artifacts and attachments redirect: it knows no tokens, and must never see one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { crc32, deflateRawSync } from 'node:zlib';
import type { State } from './state.ts';

interface Stored {
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** Logs and attachments, for whoever has the address; a token here is a mistake. */
export function serveStorage(
  state: State,
  problems: string[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.headers.authorization !== undefined) problems.push('the storage host saw an Authorization header');
  const { pathname } = new URL(request.url ?? '/', state.urls.storage);
  const found = state.attachments.get(pathname) ?? jobLog(state, pathname) ?? artifactOf(state, pathname);
  if (found === null) problems.push(`unknown request to the storage host: ${request.url}`);
  response.writeHead(found === null ? 404 : 200, { 'content-type': found?.type ?? 'text/plain' });
  response.end(found?.body ?? '');
}

function jobLog(state: State, pathname: string): Stored | null {
  const [, repositoryId, jobId] = /^\/logs\/(\d+)\/(\d+)$/.exec(pathname) ?? [];
  const runs = [...(state.repositories.get(Number(repositoryId))?.workflowRuns.values() ?? [])];
  const log = runs.flatMap((run) => run.attempts.flat()).find((job) => job.id === Number(jobId))?.log;
  return log === undefined || log === null ? null : { type: 'text/plain; charset=utf-8', body: log };
}

function artifactOf(state: State, pathname: string): Stored | null {
  const [, repositoryId, id] = /^\/artifacts\/(\d+)\/(\d+)$/.exec(pathname) ?? [];
  const runs = [...(state.repositories.get(Number(repositoryId))?.workflowRuns.values() ?? [])];
  const found = runs.flatMap((run) => run.artifacts).find((artifact) => artifact.id === Number(id));
  return found === undefined ? null : { type: 'application/zip', body: found.archive };
}

interface ZippedFile {
  readonly path: string;
  readonly text: string;
}

/** UTF-8 names, which the archive must say. */
const FLAGS = 0x0800;

const DEFLATED = 8;

/** The first day that the format knows; nobody reads the times of logs. */
const DATE = 0x0021;

/** A whole archive of texts by their paths. */
export function zipFiles(files: Readonly<Record<string, string>>): Buffer {
  return zipOf(Object.entries(files).map(([path, text]) => ({ path, text })));
}

/** A whole archive. */
function zipOf(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, text } of files) {
    const name = Buffer.from(path);
    const raw = Buffer.from(text);
    const packed = deflateRawSync(raw);
    const shared = sharedHeader(raw, packed, name);
    const local = Buffer.concat([number32(0x04034b50), number16(20), shared, number16(0), name, packed]);
    parts.push(local);
    directory.push(
      Buffer.concat([
        ...[number32(0x02014b50), number16(20), number16(20), shared, number16(0), number16(0), number16(0)],
        ...[number16(0), number32(0), number32(at), name],
      ]),
    );
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const count = number16(files.length);
  const end = [number32(0x06054b50), number16(0), number16(0), count, count, number32(listed.length), number32(at)];
  return Buffer.concat([...parts, listed, ...end, number16(0)]);
}

/** What a file's own header and its line in the directory have in common. */
function sharedHeader(raw: Buffer, packed: Buffer, name: Buffer): Buffer {
  const sizes = [number32(crc32(raw)), number32(packed.length), number32(raw.length)];
  return Buffer.concat([
    ...[number16(FLAGS), number16(DEFLATED), number16(0), number16(DATE)],
    ...[...sizes, number16(name.length)],
  ]);
}

function number16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

function number32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
