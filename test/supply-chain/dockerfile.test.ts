// The Dockerfile and what reaches its build: unprivileged, from the lockfile, with nothing secret in a layer.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPackages, listShippedFiles } from '../support/source-files.ts';
import { ROOT } from './lockfile.ts';

const OURS = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');

/** One line for each rule that is broken. */
function breaches(text: string): readonly string[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean);
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  const user = lines.findLastIndex((line) => line.startsWith('USER '));
  const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1] ?? '');
  const rules: readonly (readonly [string, boolean])[] = [
    [
      'all stages have one base of a named version',
      new Set(bases).size === 1 && /:\d+[\w.-]*(@|$)/.test(bases[0] ?? ''),
    ],
    ['the user is a number, and not root', user > last && /^USER [1-9]\d*:[1-9]\d*$/.test(lines[user] ?? '')],
    ['nothing is run as another user', !lines.slice(user + 1).some((line) => /^(?:RUN|USER|COPY) /.test(line))],
    ['the command starts without a shell', /^CMD \["node", /m.test(text) && /^HEALTHCHECK CMD \["node", /m.test(text)],
    ['nothing is fetched but by apt and npm', !/^ADD /m.test(text) && !/\b(?:curl|wget|npx|git clone)\b/.test(text)],
    ['copies are named one by one', !/^COPY (?:--\S+ )*\.?\/? /m.test(text)],
    ['no secret is set or asked for', !/^(?:ARG|ENV) .*(?:SECRET|TOKEN|PASSWORD|_KEY)/m.test(text)],
    ['the owner of what is run is root', !/chown(?! 65532:65532 \/data\b)/.test(text) && !/chmod/.test(text)],
    ['packages come from the lockfile, without scripts', /^RUN npm ci --omit=dev .*--ignore-scripts$/m.test(text)],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

describe('the Dockerfile', () => {
  it('keeps every rule', () => expect(breaches(OURS)).toEqual([]));

  it.each([
    [/^USER .*\n/m, '', /not root/],
    [/^USER .*/m, 'USER 0:0', /not root/],
    [/^USER .*/m, 'USER node', /not root/],
    ['EXPOSE 3000', 'RUN id', /another user/],
    ['CMD ["node", "src/main.ts", "serve"]', 'CMD node src/main.ts serve', /without a shell/],
    ['COPY src src', 'ADD https://octo.test/x.tgz src', /fetched/],
    ['COPY src src', 'COPY . .', /one by one/],
    ['NODE_ENV=production', 'NODE_ENV=production OPENAI_API_KEY=x', /no secret/],
    [' --ignore-scripts', '', /without scripts/],
    [/node:24-slim/g, 'node:latest', /named version/],
    ['chown 65532:65532 /data', 'chown -R 65532:65532 /causeway', /owner/],
  ])('would be caught with %s as "%s"', (from, to, rule) => {
    const bad = OURS.replace(from, to);
    expect(bad).not.toBe(OURS);
    expect(breaches(bad).join('\n')).toMatch(rule);
  });
});

describe('what the build sees', () => {
  const patterns = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);

  /** The last pattern that matches a file, or a folder above it, decides. */
  function isSeen(file: string): boolean {
    const above = file.split('/').map((_part, at, parts) => parts.slice(0, at + 1).join('/'));
    const decides = patterns.findLast((pattern) => above.some((each) => form(pattern.replace('!', '')).test(each)));
    return decides === undefined || decides.startsWith('!');
  }

  /** Docker's: a star takes in names that begin with a dot. */
  function form(pattern: string): RegExp {
    const source = pattern
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:.+/)?')
      .replaceAll(/(?<!\.)\*/g, '[^/]*');
    return new RegExp(`^${source}$`);
  }

  it('is all that it copies', () => {
    const copied = [...OURS.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    expect(copied.length).toBeGreaterThan(8);
    expect(copied.filter((name) => !isSeen(name))).toEqual([]);
    expect(listShippedFiles().filter((file) => !isSeen(file))).toEqual([]);
    // npm follows the lockfile only where every package that it names is there.
    const manifests = listPackages().map((name) => `packages/${name}/package.json`);
    expect(manifests.filter((file) => !isSeen(file))).toEqual([]);
  });

  it.each([
    ...['.env', '.env.local', '.git/config', 'data/causeway.db', 'data/encryption.key', 'node_modules/x/index.js'],
    ...[
      'src/.env',
      'demo/app.pem',
      'src/causeway.db-wal',
      'bin/encryption.key',
      'test/x.ts',
      'packages/diff/test/x.ts',
      'packages/github-double/src/start.ts',
      'scripts/build-demo.mjs',
    ],
  ])('is never %s', (file) => expect(isSeen(file)).toBe(false));
});
