// Starts git for a test process, see light-git.ts: each stream of the program is a socket back to that process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

const [, , address = ''] = process.argv;
const tell = (message) => process.connected && process.send(message);

async function start({ id, file, args, options }) {
  const streams = Array.from({ length: 3 }, () => connect(address).on('error', () => undefined));
  await Promise.all(streams.map((stream) => once(stream, 'connect')));
  await Promise.all(streams.map((stream, at) => new Promise((done) => stream.write(`${id} ${at}\n`, done))));
  const child = spawn(file, args, { ...options, stdio: streams });
  child.on('error', ({ message, code, errno, syscall, path }) =>
    tell({ id, error: { message, code, errno, syscall, path } }),
  );
  child.on('exit', (code, signal) => tell({ id, code, signal }));
  if (child.pid !== undefined) tell({ id, pid: child.pid });
  for (const stream of streams) stream.destroy();
}

process.on('message', (request) => void start(request));
process.on('disconnect', () => process.exit());
