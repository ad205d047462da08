// The shipped example of tracing, loaded before a program as an operator would; its SDK is a double that has the same two verbs.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/service.ts';

const EXAMPLE = path.join(import.meta.dirname, '..', '..', 'deploy', 'opentelemetry.mjs');
const run = promisify(execFile);

const SDK = `
export class NodeSDK {
  constructor(options) { console.log('made', JSON.stringify(options), process.env.OTEL_SERVICE_NAME, process.env.OTEL_METRICS_EXPORTER); }
  start() { console.log('started'); }
  async shutdown() { await new Promise((resolve) => setTimeout(resolve, 5)); console.log('sent'); }
}
`;

async function loaded(folder: string, environment = {}): Promise<{ readonly stdout: string; readonly stderr: string }> {
  await copyFile(EXAMPLE, path.join(folder, 'opentelemetry.mjs'));
  await writeFile(path.join(folder, 'program.mjs'), 'console.log("works");');
  return await run(process.execPath, ['--import', './opentelemetry.mjs', 'program.mjs'], {
    cwd: folder,
    env: environment,
  });
}

it('begins before the program, under its name, and sends what is left at the end', async () => {
  await using folder = await temporaryFolder();
  const place = path.join(folder.path, 'node_modules', '@opentelemetry', 'sdk-node');
  await mkdir(place, { recursive: true });
  await writeFile(
    path.join(place, 'package.json'),
    '{"name":"@opentelemetry/sdk-node","type":"module","main":"index.js"}',
  );
  await writeFile(path.join(place, 'index.js'), SDK);
  const { stdout } = await loaded(folder.path, { OTEL_SERVICE_NAME: 'ours' });
  expect(stdout.trim().split('\n')).toEqual(['made {"instrumentations":[]} ours none', 'started', 'works', 'sent']);
});

it('says what to install where its packages are missing, and starts nothing', async () => {
  await using folder = await temporaryFolder();
  const failed = await loaded(folder.path).catch((error) => error);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toBe('');
  expect(failed.stderr).toContain('npm install --ignore-scripts @opentelemetry/sdk-node@');
});
