// Holds the answers of the API, as the tests get them, against the OpenAPI document by an oracle that is not ours: Prism as a proxy.
// Usage: node scripts/conformance.mjs [recording]
// Without a recording the tests below make one. Prism (74 MB) is no dependency of ours: it is installed into a cache folder, or named by PRISM.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { openApiDocument } from '../src/api/openapi.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'conformance');
const PRISM = '@stoplight/prism-cli@5.16.0';
/** Everything that speaks to the API with our own client or ground. */
const TESTS = [
  'test/http',
  'test/app/github-api',
  'test/stories/rest-call',
  'test/stories/model-fix',
  'test/stories/github/install',
  'test/stories/two-tenants',
];

let testsFailed = false;
mkdirSync(CACHE, { recursive: true });
const document = JSON.parse(JSON.stringify(openApiDocument()));
const recording = process.argv[2] ?? record();
const { exchanges, others } = readRecording(recording);
const violations = await judge(exchanges);
report();

function record() {
  const file = path.join(CACHE, 'exchanges.jsonl');
  rmSync(file, { force: true });
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, EXCHANGE_RECORD: file };
  try {
    execFileSync(process.execPath, [vitest, 'run', ...TESTS], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } catch {
    // What was answered is judged all the same.
    testsFailed = true;
    console.error('some of the tests failed');
  }
  return file;
}

/** Equal exchanges count once. Methods and paths that the document does not have may only be answered 404 and 405. */
function readRecording(file) {
  const lines = [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean).map(withoutChance))];
  const all = lines.map((line) => JSON.parse(line));
  const known = all.map((one) => ({ ...one, operation: operationOf(one) }));
  return {
    exchanges: known.filter(({ operation }) => operation !== null),
    others: known.filter(({ operation }) => operation === null),
  };
}

function withoutChance(line) {
  const { headers, ...rest } = JSON.parse(line);
  const { date: _, 'x-request-id': id, ...kept } = headers;
  return JSON.stringify({ ...rest, headers: { ...kept, ...(id === undefined ? {} : { 'x-request-id': 'req_x' }) } });
}

/** The path as the document writes it; both spellings of the slash at the end are one. */
function operationOf({ method, path: asked }) {
  const wanted = asked.startsWith('/api/') && !asked.endsWith('/') ? `${asked}/` : asked;
  for (const [template, item] of Object.entries(document.paths)) {
    const slashed = template.startsWith('/api/') && !template.endsWith('/') ? `${template}/` : template;
    const form = new RegExp(`^${slashed.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
    if (form.test(wanted) && item[method.toLowerCase()] !== undefined) return { template, method, asked: wanted };
  }
  return null;
}

/** Sends each request through Prism to a server that answers what was recorded, and reads what Prism says of the answer. */
async function judge(all) {
  const upstream = await listening(
    http.createServer((request, response) => {
      const { status, headers, body } = all[Number(request.headers['x-replay'])] ?? {
        status: 599,
        headers: {},
        body: '',
      };
      const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = headers;
      request.resume();
      response.writeHead(status, kept).end(Buffer.from(body, 'base64'));
    }),
  );
  const file = path.join(CACHE, 'openapi.json');
  // Prism wants an absolute address of the server that the paths are of.
  writeFileSync(file, JSON.stringify({ ...document, servers: [{ url: 'http://127.0.0.1' }] }));
  const port = await freePort();
  const args = [
    'proxy',
    file,
    `http://127.0.0.1:${upstream.address().port}`,
    '--port',
    String(port),
    '--cors',
    'false',
  ];
  const prism = spawn(process.execPath, [prismProgram(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    prism.stdout.on('data', (text) => /listening/i.test(String(text)) && resolve());
    prism.once('exit', () => reject(new Error('Prism did not start')));
  });
  const found = [];
  try {
    for (const [index, exchange] of all.entries()) found.push(...(await ask(port, index, exchange)));
  } finally {
    prism.kill();
    upstream.close();
  }
  return found;
}

async function ask(port, index, exchange) {
  const { method, operation, search, status, headers } = exchange;
  const template = operation.template.endsWith('/') ? operation.asked : operation.asked.replace(/\/$/, '');
  const answer = await new Promise((resolve, reject) => {
    const sent = { 'x-replay': String(index), authorization: 'Bearer x', accept: '*/*' };
    const options = { host: '127.0.0.1', port, method, path: `${template}${search}`, headers: sent };
    http
      .request(options, (response) => {
        response.resume();
        response.once('end', () => resolve(response));
      })
      .once('error', reject)
      .end();
  });
  const what = `${method} ${operation.template} ${status}`;
  if (answer.statusCode !== status) return [`${what}: Prism answered ${answer.statusCode} itself`];
  const said = JSON.parse(answer.headers['sl-violations'] ?? '[]');
  // What hostile requests break is their own affair.
  const ofAnswer = said.filter(({ location }) => location[0] === 'response');
  return [...ofAnswer.map((one) => `${what}: ${JSON.stringify(one)}`), ...mediaFaults(what, exchange)];

  /** Prism does not look at the media type of an answer. */
  function mediaFaults() {
    const named = document.paths[operation.template][method.toLowerCase()].responses[status];
    const documented = named?.$ref === undefined ? named : document.components.responses[named.$ref.split('/').at(-1)];
    const types = Object.keys(documented?.content ?? {});
    const type = (headers['content-type'] ?? '').split(';')[0];
    return types.length === 0 || types.includes(type) ? [] : [`${what}: media type ${type}, documented ${types}`];
  }
}

function report() {
  const seen = new Map();
  for (const { operation, status } of exchanges) {
    const key = `${operation.method} ${operation.template}`;
    const counts = seen.get(key) ?? new Map();
    seen.set(key, counts.set(status, (counts.get(status) ?? 0) + 1));
  }
  const missing = [];
  for (const [template, item] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(item).filter(([, value]) => value.responses)) {
      const key = `${method.toUpperCase()} ${template}`;
      const counts = seen.get(key) ?? new Map();
      const cells = Object.keys(responses).map((code) => `${code}×${counts.get(Number(code)) ?? 0}`);
      missing.push(
        ...Object.keys(responses)
          .filter((code) => !counts.has(Number(code)))
          .map((code) => `${key} ${code}`),
      );
      console.log(`${key}: ${cells.join(' ')}`);
    }
  }
  const strange = others.filter(({ status }) => ![404, 405].includes(status) && !(status < 300)).length;
  console.log(`\n${exchanges.length} exchanges judged; ${others.length} of paths or methods outside the document`);
  console.log(`outside the document and neither 404 nor 405 nor HEAD: ${strange}`);
  console.log(`operation × status never seen (${missing.length}): ${missing.join(', ')}`);
  console.log(`violations: ${violations.length}`);
  for (const violation of new Set(violations)) console.log(`  ${violation}`);
  process.exitCode = violations.length === 0 && exchanges.length > 0 && !testsFailed ? 0 : 1;
}

function prismProgram() {
  const own = process.env['PRISM'];
  if (own !== undefined) return own;
  const program = path.join(CACHE, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js');
  if (!existsSync(program)) {
    execFileSync('npm', ['install', '--prefix', CACHE, '--ignore-scripts', '--no-save', PRISM], { stdio: 'inherit' });
  }
  return program;
}

function listening(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function freePort() {
  const server = await listening(http.createServer());
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
