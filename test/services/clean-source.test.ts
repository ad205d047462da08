// A repository without its secrets: cleaned as a whole, then shown in parts.
import { generateKeyPairSync } from 'node:crypto';
import type { SourceTree } from 'causeway-git-objects';
import { createRedactor } from 'causeway-redact';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { createToolbox, type Toolbox } from '../../src/investigate/tools/toolbox.ts';
import { cleanRepository, createRunRedactor } from '../../src/services/run-redaction.ts';
import { ask } from '../investigate/tools/workbench.ts';
import { pathProject, SIGNAL, testSource } from '../support/project-source.ts';

const BODY = Array.from(
  { length: 12 },
  (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${String(at).padStart(2, '0').repeat(16)}`,
);
const KEY = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');
const PEM = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;
const FILLER = 'const a = 1; // words that fill a file with text and nothing else in it\n';
const PASSWORD = ['tR9vKx2m', 'Qz7LpW4s'].join('');
const TOKEN = ['ghp', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('_');
const CONFIG = `export const one = 1;\nexport const token = '${TOKEN}';\nexport const last = 1;\n`;

const cleanup = new AsyncDisposableStack();
let raw: SourceTree;
let clean: SourceTree;
let before = '';
let middle = '';
let freshBox: () => Toolbox;

beforeAll(async () => {
  const repo = cleanup.use(await gitRepository());
  before = await repo.commit(
    { 'src/config.ts': CONFIG, 'src/plain.ts': 'export function identifierOfSome32Kind() {}\n' },
    'Begin',
  );
  await repo.commit(
    {
      'big.ts': FILLER.repeat(16_000) + PEM + FILLER,
      'settings.py': `DEBUG = True\nDB_PASSWORD = "${PASSWORD}"\nHOST = "x"\n`,
      '.netrc': `machine example.org\n  login ada\n  password ${PASSWORD}x\n`,
      'crlf.txt': 'a\r\nb\r\n',
      'key.pem': PEM,
    },
    'More',
  );
  middle = await repo.commit(
    {
      'big.ts': FILLER.repeat(16_000) + PEM.split('\n').toSpliced(14, 0, '').join('\n') + FILLER,
      'key.pem': PEM.split('\n').toSpliced(14, 0, '').join('\n'),
      'crlf.txt': 'a\r\nB\r\n',
    },
    `Use ${'w'.repeat(170)} ${TOKEN}`,
  );
  await repo.commit({ 'src/key.ts': `export const key = \`${KEY}\`;\nexport const after = 1;\n` }, 'Add a key');
  const source = cleanup.use(testSource());
  const shared = cleanup.use(createRedactor({ exactValues: () => [] }));
  const redactor = createRunRedactor(shared);
  const repository = await source.source.open(pathProject(repo.path), SIGNAL);
  const sha = (await repository.resolve('', SIGNAL)) ?? '';
  raw = repository.tree(sha);
  clean = cleanRepository(repository, redactor).tree(sha);
  freshBox = () => {
    // Knows no secret yet: what another test has seen must not help this one.
    const own = createRunRedactor(shared);
    const shown = cleanRepository(repository, own);
    const texts = (text: string) => own.redactLines(text);
    return createToolbox({ repository: shown, tree: shown.tree(sha), rawTree: raw, clean: texts, ciLog: null });
  };
});
afterAll(() => cleanup.disposeAsync());

describe('a repository without its secrets', () => {
  it('reads every window as the raw one does, where no secret stands in it', async () => {
    for (const lines of [undefined, { from: 1, to: 1 }, { from: 3, to: 9 }, { from: 9, to: 12 }, { from: 2, to: 1 }]) {
      const read = (tree: SourceTree, path: string) => tree.read(path, lines ? { lines } : {}, SIGNAL);
      expect({ ...(await read(clean, 'src/plain.ts')), cut: '' }).toEqual({
        ...(await read(raw, 'src/plain.ts')),
        cut: '',
      });
    }
    expect(await clean.read('src/nowhere.ts', {}, SIGNAL)).toEqual(await raw.read('src/nowhere.ts', {}, SIGNAL));
  });

  it('shows no line of a key, whichever lines are asked for, and the line after it at its number', async () => {
    for (let line = 1; line <= 15; line += 1) {
      const read = await clean.read('src/key.ts', { lines: { from: line, to: line } }, SIGNAL);
      const text = read.kind === 'text' ? read.text : '';
      expect(text).not.toContain('MIIEvQ');
      if (line === 15) expect(text).toBe('export const after = 1;\n');
    }
  });

  it('finds no line by the secret in it, and other lines as ever', async () => {
    const search = async (pattern: string, regex = false) =>
      (await clean.search({ pattern, regex, ignoreCase: false, paths: [] }, SIGNAL)).hits.map(({ text }) => text);
    expect(await search(TOKEN.slice(0, 9))).toEqual([]);
    expect(await search('^[A-Za-z0-9+/]{64}$', true)).toEqual([]);
    expect(await search('const token')).toEqual(["export const token = '[redacted]';"]);
    expect(await search('identifierOfSome32Kind')).toEqual(['export function identifierOfSome32Kind() {}']);
  });

  it('tells no secret in a patch, whose lines bear signs', async () => {
    const { patch } = await clean.compare(before, { path: 'src/key.ts' }, SIGNAL);
    expect(patch).toContain('+export const after = 1;');
    expect(patch).not.toContain('MIIEvQ');
    expect((await clean.compare(null, { path: 'src/key.ts' }, SIGNAL)).patch).toBe(patch);
  });
});

describe('what a model may ask for', () => {
  let box: Toolbox;
  beforeEach(() => {
    box = freshBox();
  });
  const answer = (name: string, given: unknown) => ask(box, name, given);

  it('gives no line of a key in a file that is too large to be looked through whole', async () => {
    const read = await answer('read_files', { files: [{ path: 'big.ts', from: 16_004, to: 16_008 }] });
    const lines = PEM.split('\n').slice(1, 12);
    expect(lines.filter((line) => read.includes(line))).toEqual([]);
    expect(read).toMatch(/\| \[(redacted|withheld: this file is too large to be searched for secrets)\]/);
    const found = await answer('search', { pattern: '^[A-Za-z0-9+/]{64}$', regex: true, paths: ['big.ts'] });
    expect(lines.filter((line) => found.includes(line))).toEqual([]);
  });

  it('gives no line of a key in the middle of a patch, and leaves line ends as they are', async () => {
    // First: the same key stands in the small file, which is read whole.
    const large = await answer('compare', { commit: middle, path: 'big.ts' });
    expect(PEM.split('\n').filter((line) => line.length > 40 && large.includes(line))).toEqual([]);
    expect(large).toContain('[withheld: this file is too large');
    const patch = await answer('compare', { commit: middle, path: 'key.pem' });
    expect(PEM.split('\n').filter((line) => line !== '' && patch.includes(line))).toEqual([]);
    expect(patch).toContain('@@');
    expect(await answer('compare', { commit: middle, path: 'crlf.txt' })).toContain(' a\r\n-b\r\n+B\r');
  });

  it('gives no token whose subject is cut in two', async () => {
    for (const name of ['compare', 'history']) {
      expect(await answer(name, name === 'compare' ? { from: before } : {})).not.toContain(TOKEN.slice(0, 12));
    }
    const blame = await answer('blame', { path: 'key.pem', from: 1, to: 20 });
    expect(blame).not.toContain(TOKEN.slice(0, 12));
  });

  it('tells a right guess of a short secret from a wrong one by nothing', async () => {
    const told = (text: string, guessed: string) =>
      text.replaceAll(guessed, '').replaceAll(JSON.stringify(guessed).slice(1, -1), '');
    const guess = async (pattern: string, regex = false) =>
      told(await answer('search', { pattern, regex, paths: ['settings.py'] }), pattern);
    expect(await guess('DB_PASSWORD = "tR9')).toBe(await guess('DB_PASSWORD = "tR8'));
    expect(await guess('DB_PASSWORD = "tR[0-9]', true)).toBe(await guess('DB_PASSWORD = "tR[a-z]', true));
    const edit = async (guessed: string) => {
      const old = `DB_PASSWORD = "${guessed}"`;
      return told(await answer('replace', { path: 'settings.py', old, new: 'x = 1' }), old);
    };
    const brought = async (text: string) => told(await answer('history', { text }), text);
    expect(await brought('DB_PASSWORD = "tR9')).toBe(await brought('DB_PASSWORD = "tR8'));
    expect(await edit(PASSWORD)).toBe(await edit(`${PASSWORD.slice(0, 15)}!`));
  });

  it('never learns a secret by taking away what it is known by', async () => {
    const edits = [
      await answer('replace', { path: 'settings.py', old: 'DB_PASSWORD', new: 'GREETING' }),
      await answer('replace', { path: '.netrc', old: '  login ada', new: '  lgn ada' }),
    ];
    const looks = [
      await answer('read_files', { files: [{ path: 'settings.py' }, { path: '.netrc' }] }),
      await answer('search', { pattern: 'GREETING' }),
      await answer('compare', { edits: true }),
    ];
    expect(looks.join('\n')).toContain('GREETING = "[redacted]"');
    expect([...edits, ...looks].join('\n')).not.toContain(PASSWORD);
  });
});
