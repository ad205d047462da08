// Which places a report leads to: what a trace says before what people write around it, and nothing where nothing is reliable.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { selectShownSuspects } from '../../src/triage/rank-suspects.ts';
import { testLexicons } from '../support/memory-source.ts';
import { pathProject, testSource } from '../support/project-source.ts';
import { FIRST, factsOf, TRACE } from './shop.ts';

const SIGNAL = new AbortController().signal;
const DEMO = path.join(import.meta.dirname, '..', '..', 'demo');

const COOKIE = `export function serialize(name: string, value: string, maxAge: number): string {
  if (name === '') throw new Error('a cookie needs a name');
  return encode(name, value, maxAge);
}

function encode(name: string, value: string, maxAge: number): string {
  if (maxAge > 34_560_000) throw new Error('lifetime is over 400 days: ' + maxAge);
  return name + '=' + value;
}
`;
const FILES = {
  'package.json': '{ "name": "shop" }\n',
  'src/cookie.ts': COOKIE,
  'src/login.ts': `import { serialize } from './cookie.ts';

/** Signs a customer in: checks the password, then starts a session with its refresh token. */
export function login(customer: Customer, token: Token): string {
  return serialize('session', token.text, token.lifetime);
}
`,
  'src/refresh-token.ts': `/** The refresh token of a session: the middleware of the mobile app checks its lifetime and signature. */
export function refreshToken(session: Session, lifetime: number): Token {
  const signature = sign(session, lifetime);
  return { text: session.id + signature, lifetime };
}

// Refresh tokens of the mobile app live for a year. The middleware refuses a token whose session ended.
export function tokenMiddleware(session: Session, token: Token): boolean {
  return session.isOpen && token.lifetime > 0;
}
`,
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`src/part-${index}.ts`, `export const part${index} = ${index};\n`]),
  ),
};
const COMMITS = [{ sha: FIRST, subject: 'Refresh tokens for the session of the mobile app', files: FILES }];

const PROSE = `Refresh token of the mobile app ends the session

Since the refresh token has a longer lifetime, the session of each customer of the mobile app is lost at once. The token
middleware refuses the signature of the refresh token, or so it seems: the middleware logs the token, and then the session
ends. With the old lifetime of the refresh token the session of the mobile app stays open. I looked into refresh-token.ts:
tokenMiddleware and refreshToken look fine to me, but the signature may be wrong.

`;

describe('a stack trace that is all in a dependency', () => {
  it('leaves no suspect likely that only shares names with the report, and says where the frames lie', async () => {
    const report = `parseHeader("x") breaks in readRequest

The call of parseHeader in readRequest fails, also for a header with a value.

TypeError: Missing pad at 2
    at pad (/srv/shop/node_modules/left-pad/index.js:1:1)
    at run (/srv/shop/node_modules/left-pad/index.js:9:1)
    at Array.map (<anonymous>)
`;
    const outside = await factsOf(report);
    expect(outside.shown.map(({ file }) => file)).toContain('src/header.ts');
    expect(outside.shown[0]?.score).toBeLessThanOrEqual(0.5);
    const say = (facts: typeof outside, lookup: string) => facts.steps.find((step) => step.lookup === lookup);
    expect(say(outside, 'rank_suspects')?.analysis).toBe(
      'All stack frames are in the dependency left-pad: the cause may be there, or in how it is called. No reliable suspect: the best matches share only words and names with the report.',
    );
    expect(say(outside, 'rank_functions')?.result).toMatch(/^1\. \w+ \(src\/\w+\.ts:\d+-\d+\): /);
    expect(concludeFromFacts(outside, { seconds: 1 }).rootCause).toMatch(
      /^No reliable suspect\. The closest match is /,
    );

    const own = await factsOf(
      report.replace('left-pad/index.js:9:1', 'left-pad/index.js:9:1)\n    at go (/srv/app/go.js:1:1'),
    );
    expect(own.shown[0]?.score).toBeGreaterThan(0.6);
    expect(say(own, 'rank_suspects')?.analysis).not.toContain('left-pad');
  });
});

describe('a stack trace beside prose', () => {
  it('leads to the line that threw, whatever the prose is about', async () => {
    const trace = `Error: lifetime is over 400 days: 63072000
    at encode (/srv/shop/src/cookie.ts:7:34)
    at serialize (/srv/shop/src/cookie.ts:3:10)
    at login (/srv/shop/src/login.ts:5:10)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
`;
    const { shown } = await factsOf(PROSE + trace, { commits: COMMITS });
    expect(shown[0]).toMatchObject({ file: 'src/cookie.ts', line: 7, function: 'encode' });
  });

  it('points at the head of the function where the trace gives no line of the source, unless the message gives one', async () => {
    const trace = (message: string): string => `Error: ${message}
    at serialize (/srv/app/node_modules/shop/dist/cookie.js:1:2044)
    at login (/srv/app/node_modules/shop/dist/login.js:1:310)
`;
    const unknown = await factsOf(PROSE + trace('x'), { commits: COMMITS });
    expect(unknown.shown[0]).toMatchObject({ file: 'src/cookie.ts', line: 1, function: 'serialize' });
    const { rootCause } = concludeFromFacts(unknown, { seconds: 1 });
    expect(rootCause).toContain(
      'Most likely place: `src/cookie.ts:1` in `serialize()` (top frame of the stack trace in this repository; compiled file)',
    );
    const known = await factsOf(PROSE + trace('a cookie needs a name'), { commits: COMMITS });
    expect(known.shown[0]).toMatchObject({ file: 'src/cookie.ts', line: 2, function: 'serialize' });
  });

  it('of the demo leads to the line that node printed', async () => {
    await using shop = await gitRepository();
    shop.git('pull', '--quiet', path.join(DEMO, 'corner-shop.bundle'), 'main');
    await using opened = testSource();
    await using lexicons = testLexicons();
    const facts = await gatherFacts({
      report: readFileSync(path.join(DEMO, 'report.md'), 'utf8'),
      revision: '',
      repository: await opened.source.open(pathProject(shop.path), SIGNAL),
      lexicon: lexicons.of(pathProject(shop.path)),
      onStep: async () => {},
      signal: SIGNAL,
    });
    const { rootCause, analysis } = concludeFromFacts(facts, { seconds: 1 });
    expect(rootCause).toMatch(/^Most likely place: `src\/coupons\.js:14` in `discountFor\(\)`/);
    // The files that only share words with the report are not shown.
    expect(analysis.suspects.map(({ file }) => file).sort()).toEqual([
      'src/checkout.js',
      'src/coupons.js',
      'src/server.js',
    ]);
  });
});

describe('what is not reliable', () => {
  it('is not shown: common words are no reason, and the Issue says that there is no suspect', async () => {
    const facts = await factsOf('It is up to us whether `customer` is or is not whole, or so it seems to be', {
      commits: [{ sha: FIRST, subject: 'Begin', files: { ...FILES, 'src/a.ts': '// if it is up to us, or whole\n' } }],
    });
    const said = JSON.stringify(facts.suspects.map(({ reasons }) => reasons));
    for (const word of ['it', 'is', 'up', 'to', 'us', 'or', 'whole']) expect(said).not.toContain(`“${word}”`);
    const ranking = facts.steps.find(({ result }) => result.includes('rarest: '));
    expect(ranking?.result).toMatch(/found; rarest: (?!.*\b(?:it|is|up|to|or)\b)/);
    const few = await factsOf('The number of the mobile session', { commits: COMMITS });
    const { rootCause } = concludeFromFacts(few, { seconds: 1 });
    expect(rootCause).toMatch(/^Nothing in the report names a place in this code; its words are closest to `[\w./-]+`/);
  });

  it('never has a high score for words alone, and nobody is sent there', async () => {
    const facts = await factsOf(PROSE.replace(/I looked into.*\n.*$/s, ''), { commits: COMMITS });
    const { rootCause, solutionSteps, analysis } = concludeFromFacts(facts, { seconds: 1 });
    expect(facts.suspects[0]).toMatchObject({ file: 'src/refresh-token.ts', evidence: 'words' });
    expect(facts.suspects[0]!.score).toBeGreaterThan(0.6);
    for (const { score } of analysis.suspects) expect(score).toBeLessThanOrEqual(0.5);
    expect(rootCause).toBe(
      'Nothing in the report names a place in this code; its words are closest to `src/refresh-token.ts` in `tokenMiddleware()`.',
    );
    expect(analysis.citations).toEqual([]);
    expect(JSON.stringify(solutionSteps)).not.toContain('src/');
  });

  it('is a file that there is no reason to name', async () => {
    const facts = await factsOf(TRACE);
    const [first] = facts.suspects;
    const shown = selectShownSuspects([{ ...first!, reasons: [], evidence: 'names', score: 0.9 }], []);
    const { rootCause } = concludeFromFacts({ ...facts, shown }, { seconds: 1 });
    expect(rootCause).toContain('Nothing in the report names a place in this code');
    expect(rootCause).not.toContain('Most likely place');
  });

  it('leaves at most eight of the ranking, each as the interface has it', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`src/a${index}.ts`, `export function openLedger${index}() {}\n`]),
    );
    const trace = Object.keys(files).map((file, index) => `    at openLedger${index} (/srv/shop/${file}:1:8)\n`);
    const facts = await factsOf(`Error: no ledger\n${trace.join('')}`, {
      commits: [{ sha: FIRST, subject: 'Begin', files }],
    });
    const { suspects } = concludeFromFacts(facts, { seconds: 1 }).analysis;
    expect(facts.suspects.length).toBeGreaterThan(15);
    expect(suspects.length).toBeLessThanOrEqual(8);
    expect(Object.keys(suspects[0]!)).toEqual(['file', 'line', 'function', 'score', 'reasons']);
    for (const { score } of suspects) expect(score).toBeGreaterThanOrEqual(0.2);
  });
});
