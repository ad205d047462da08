// Result files of a job: what each runner writes is read, joined with what its log says, and hostile files do no harm.
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import type { FailedResult } from '../src/failed-results.ts';
import { readCheck } from '../src/read-check.ts';
import { type ResultBudget, readArtifactResults, readResultFile } from '../src/result-files.ts';
import { walkXml, XmlFault } from '../src/xml.ts';
import { repeatEntry, zipFiles, zipPacked } from './hostile-archives.ts';
import { SAMPLES } from './runner-samples.ts';

/** Bytes of an archive's files that are read. */
const fullBudget = (): ResultBudget => ({ bytes: 64 * 1_024 * 1_024 });

/** What a text says that is not too large. */
function readText(text: string): readonly FailedResult[] {
  const read = readResultFile(Buffer.from(text));
  if (typeof read === 'string') throw new Error(`it was not read: ${read}`);
  return read;
}

const inJob = (lines: string) =>
  `##[group]Run make test\nmake test\n##[endgroup]\n${lines}\n##[error]Process completed with exit code 1.`;
const QUIET = inJob('There were failing tests. See the report.');
const texts = (log: string, xml = '') => ({
  name: 'test',
  output: '',
  log,
  annotations: [],
  results: readText(xml),
});

describe.each(SAMPLES)('$runner', ({ runner, log, xml, message, place }) => {
  const ofLog = readCheck(texts(inJob(log)));
  const ofBoth = readCheck(texts(inJob(log), xml));
  const ofFile = readCheck(texts(QUIET, xml));

  it('names each failed test once, and keeps the fingerprint that the log has', () => {
    expect(ofLog.excerpt.tests).not.toEqual([]);
    expect(ofBoth.excerpt.tests).toEqual(ofLog.excerpt.tests);
    expect(ofBoth.fingerprint).toBe(ofLog.fingerprint);
  });

  it('says from the file what a quiet log does not', () => {
    expect(ofFile.isInformative).toBe(true);
    expect(ofFile.excerpt.lines.join('\n')).toContain(message);
    expect(ofFile.places.map((one) => `${one.path}:${one.line}`)).toContain(place);
    // Jest writes suites and tests without the sign between them.
    if (runner !== 'jest-junit') expect(ofFile.fingerprint).toBe(ofLog.fingerprint);
  });
});

describe('JUnit XML', () => {
  const failed = '<testcase classname="a.B" name="c"><failure message="no"/></testcase>';
  const passed = '<testcase classname="a.B" name="c"/>';

  it.each([
    ['that failed', failed, 1],
    ['that passed', passed, 0],
    ['that was skipped', '<testcase classname="a.B" name="c"><skipped/></testcase>', 0],
    ['with an error', '<testcase name="c"><error type="E">at x</error></testcase>', 1],
    ['that a second run of it turned green', failed + passed, 0],
    ['that Surefire saw pass again', '<testcase name="c"><flakyFailure message="no"/></testcase>', 0],
    ['that failed again', '<testcase name="c"><failure/><rerunFailure message="no"/></testcase>', 1],
  ])('a test %s', (_, cases, count) => {
    expect(readText(`<testsuite name="s">${cases}</testsuite>`)).toHaveLength(count);
  });

  it('passing in one suite says nothing about the same test in another', () => {
    const xml = `<testsuites><testsuite name="debug">${failed}</testsuite><testsuite name="release">${passed}</testsuite></testsuites>`;
    expect(readText(xml)).toHaveLength(1);
  });

  it('two failures that a quiet log does not tell apart have two fingerprints', () => {
    const of = (name: string) =>
      readCheck(
        texts(
          QUIET,
          `<testsuite><testcase classname="a.B" name="${name}"><failure message="no"/></testcase></testsuite>`,
        ),
      );
    expect(of('adds').fingerprint).not.toBe(of('removes').fingerprint);
    expect(readCheck(texts(QUIET)).fingerprint).toBe(readCheck(texts(QUIET)).fingerprint);
  });

  it('leaves the cause to the log where a tool says there what is wrong', () => {
    const log = inJob('src/a.c:3:1: error: expected ; before }');
    const xml = `<testsuite>${failed}</testsuite>`;
    const read = readCheck(texts(log, xml));
    expect(read.fingerprint).toBe(readCheck(texts(log)).fingerprint);
    expect([read.excerpt.headline, read.excerpt.tests]).toEqual(['src/a.c:3:1: error: expected ; before }', ['a.B.c']]);
  });

  it('says nothing of tests where the machine failed', () => {
    const log = inJob('fatal: write error: No space left on device');
    expect(readCheck(texts(log, `<testsuite>${failed}</testsuite>`))).toEqual(readCheck(texts(log)));
  });
});

describe('SARIF', () => {
  const sarif = (results: readonly object[]) =>
    JSON.stringify({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'lint', rules: [{ id: 'sql', defaultConfiguration: { level: 'error' } }] } },
          results,
        },
      ],
    });
  const result = (more: object = {}) => ({
    ruleId: 'sql',
    message: { text: 'Query built from input' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/db%20a.js' }, region: { startLine: 7 } } }],
    ...more,
  });

  it.each([
    ['by the level of its rule', {}, 1],
    ['that is a warning', { level: 'warning' }, 0],
    ['that was suppressed', { suppressions: [{ kind: 'inSource' }] }, 0],
    ['that was there before', { baselineState: 'unchanged' }, 0],
    ['that passed', { kind: 'pass' }, 0],
  ])('a result %s', (_, more, count) => {
    expect(readText(sarif([result(more)]))).toHaveLength(count);
  });

  it('is the cause where the log names none, and only there', () => {
    const [quiet, loud] = [QUIET, inJob('src/a.c:3:1: error: expected ; before }')].map((log) =>
      readCheck(texts(log, sarif([result()]))),
    );
    expect(quiet?.excerpt.headline).toContain('Query built from input');
    expect(quiet?.places).toContainEqual(expect.objectContaining({ path: 'src/db a.js', line: 7 }));
    expect(loud).toEqual(readCheck(texts(inJob('src/a.c:3:1: error: expected ; before }'))));
  });

  it.each(['{', '{"runs": 3}', '{"runs": [null, {"results": [null, 4, {"message": "x", "level": "error"}]}]}'])(
    'does not fail over %s',
    (text) => {
      expect(readText(text).length).toBeLessThanOrEqual(1);
    },
  );
});

describe('hostile XML', () => {
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(1_000)}">]><testsuite><testcase name="&b;"><failure/></testcase></testsuite>`;
  const outside =
    '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd" [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&f;"><failure/></testcase></testsuite>';

  it.each([
    ['entities of entities', laughs],
    ['a document type and an entity of a file', outside],
    ['two roots', '<testsuite/><testsuite><testcase name="a"><failure/></testcase></testsuite>'],
    ['an end in the middle', '<testsuite><testcase name="a"><failure/></testcase>'],
    ['elements that overlap', '<testsuite><testcase name="a"><failure></testcase></failure></testsuite>'],
    ['a thousand levels', `${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}`],
    ['an attribute without an end', '<testsuite><testcase name="a></testsuite>'],
  ])('%s: the file is left out', (_, xml) => {
    expect(readText(xml)).toEqual([]);
    expect(() => walkXml(xml, { open() {}, text() {}, close() {} })).toThrow(XmlFault);
  });

  it.each([
    ['&file; &amp;lt; &#x41;&#65;&#xFFFFFF;&#9999999;', '&file; &lt; AA&#xFFFFFF;&#9999999;'],
    ['&#27;[31mred&#x1b;[0m \u0007', '\u001B[31mred\u001B[0m \u0007'],
    ['&constructor;&__proto__;&toString;&hasOwnProperty;', '&constructor;&__proto__;&toString;&hasOwnProperty;'],
    ['&;&&lt&#;&#x;&#xg;& lt;&ltt;&LT;&#12345678;&gt;', '&;&&lt&#;&#x;&#xg;& lt;&ltt;&LT;&#12345678;>'],
  ])('reads %s as %s, in names and in texts', (written, read) => {
    const xml = `\n<?xml version="1.0"?><testsuite><testcase name="${written}"><failure>${written}</failure></testcase></testsuite>`;
    expect(readText(xml)).toMatchObject([{ name: read, trace: read }]);
  });
});

describe('an archive', () => {
  const xml = '<testsuite><testcase name="a"><failure message="no"/></testcase></testsuite>';
  const namesOf = async (archive: Uint8Array) =>
    (await readArtifactResults(archive, fullBudget())).results.map(({ name }) => name);

  it('gives the failures of its result files, each once', async () => {
    const archive = zipFiles({ 'a/TEST-a.xml': xml, 'all.xml': xml, 'notes.txt': xml, 'b.sarif': '{"runs": []}' });
    expect(await namesOf(archive)).toEqual(['a']);
  });

  it.each([['../../../../etc/x.xml'], ['/etc/x.xml'], ['C:\\x.xml'], ['a\0.xml']])(
    'takes %j for a mere name',
    async (name) => {
      expect(await namesOf(zipFiles({ [name]: xml }))).toEqual(['a']);
    },
  );

  it('never opens an archive in it', async () => {
    const inner = zipFiles({ 'x.xml': xml }).toString('latin1');
    expect(await namesOf(zipFiles({ 'x.zip': inner, 'y.xml': inner }))).toEqual([]);
  });

  it('leaves out a file that inflates to more than it may, whatever size it names', async () => {
    const bomb = `<testsuite><system-out>${' '.repeat(40_000_000)}</system-out></testsuite>`;
    const archive = zipFiles({ 'bomb.xml': bomb, 'a.xml': xml });
    expect(archive.length).toBeLessThan(100_000);
    expect(await namesOf(archive)).toEqual(['a']);
    // The directory and the local header say that it has 10 bytes.
    for (let at = archive.indexOf('PK\u0001\u0002'); at >= 0; at = archive.indexOf('PK\u0001\u0002', at + 1)) {
      archive.writeUInt32LE(10, at + 24);
    }
    expect(await cpuTime(async () => expect(await namesOf(archive)).toEqual(['a']))).toBeLessThan(3_000);
  });

  const unreadOf = async (archive: Uint8Array, budget = fullBudget()) =>
    (await readArtifactResults(archive, budget)).unread;

  it('says which files are too large, and reads the others', async () => {
    const archive = zipFiles({
      'large.xml': `${' '.repeat(8 * 1_024 * 1_024)}${xml}`,
      // The name does not decide how a file is read.
      'large.xml.xml': `{"runs": [${' '.repeat(2 * 1_024 * 1_024)}]}`,
      'deep.sarif': `{"runs": ${'['.repeat(64)}${']'.repeat(64)}}`,
      'many.sarif': `{"runs": [${'[],'.repeat(100_000)}0]}`,
      'flat.sarif': `{"runs": [${'[['.repeat(30)}"${'['.repeat(99)}\\"[["${']]'.repeat(30)}]}`,
      'a.xml': xml,
    });
    expect(await namesOf(archive)).toEqual(['a']);
    expect(await unreadOf(archive)).toEqual([
      { file: 'large.xml', why: 'file_size' },
      { file: 'large.xml.xml', why: 'sarif_size' },
      { file: 'deep.sarif', why: 'sarif_shape' },
      { file: 'many.sarif', why: 'sarif_shape' },
    ]);
  });

  it('names five files that are not read, and reads what follows them', async () => {
    const deep = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.sarif`, '{"a":'.repeat(65)]));
    const archive = zipFiles({ ...deep, 'a.xml': xml });
    expect(await namesOf(archive)).toEqual(['a']);
    expect((await unreadOf(archive)).map(({ file }) => file)).toEqual([
      '0.sarif',
      '1.sarif',
      '2.sarif',
      '3.sarif',
      '4.sarif',
    ]);
  });

  it('takes what it inflates to from what is left for its commit', async () => {
    const archive = zipFiles({ 'a.xml': xml, 'b.xml': xml, 'c.xml': xml });
    const budget = { bytes: 2 * xml.length + 10 };
    expect(await unreadOf(archive, budget)).toEqual([{ file: 'c.xml', why: 'total_size' }]);
    expect(budget).toEqual({ bytes: 10 });
    expect(await unreadOf(archive, budget)).toEqual(
      ['a.xml', 'b.xml', 'c.xml'].map((file) => ({ file, why: 'total_size' })),
    );
  });

  it('of many entries that are packed large and inflate to nothing is read as far as what is packed', async () => {
    const blocks = Buffer.concat([Buffer.alloc(1_000_000, Buffer.from([0, 0, 0, 0xff, 0xff])), Buffer.from([3, 0])]);
    const archive = zipPacked(blocks, Buffer.alloc(0), ['a.xml']);
    const budget = { bytes: 10_000_000 };
    expect(await unreadOf(repeatEntry(archive, 2_000, 0), budget)).toHaveLength(5);
    expect(budget.bytes).toBeLessThanOrEqual(0);
  });

  it('inflates no more in all, however many of its entries name the same bytes and another size', async () => {
    const large = `${' '.repeat(16_000_000)}${xml}`;
    const only = zipFiles({ 'a.xml': large });
    for (const size of [0, 10, 15_999_999]) {
      const archive = repeatEntry(only, 2_000, size);
      expect(await cpuTime(async () => expect(await namesOf(archive)).toEqual([]))).toBeLessThan(3_000);
    }
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no archive', Buffer.from('PK no archive at all, but long enough to be one')],
    ['an end alone', Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18, 0xff)])],
    ['half of one', zipFiles({ 'a.xml': xml }).subarray(30)],
  ])('that is %s gives nothing', async (_, bytes) => {
    expect(await namesOf(bytes)).toEqual([]);
  });

  it('that was damaged anywhere gives nothing, or the same', async () => {
    const whole = zipFiles({ 'a.xml': xml });
    for (let at = 0; at < whole.length; at += 1) {
      const broken = Buffer.from(whole);
      broken.writeUInt8(broken.readUInt8(at) ^ 0xff, at);
      expect((await namesOf(broken)).filter((name) => name !== 'a')).toEqual([]);
    }
  });
});
