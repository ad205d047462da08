// Result files and archives that are made to be costly, as large as they are read.
import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readArtifactResults, readResultFile } from '../src/result-files.ts';
import { zipFiles, zipPacked } from './hostile-archives.ts';

const TOTAL_BYTES = 64 * 1_024 * 1_024;

it.each([
  ['attributes', (n: number) => `<a ${'b="c" '.repeat(90)}${' '.repeat(n)}/>`],
  ['opened brackets', (n: number) => `<a>${'<'.repeat(n)}</a>`],
  ['comments', (n: number) => `<a>${'<!---->'.repeat(n / 7)}</a>`],
  [
    'ampersands',
    (n: number) => `<testsuite><testcase name="a"><failure>${'&#'.repeat(n / 2)}</failure></testcase></testsuite>`,
  ],
  ['open comments', (n: number) => `<a>${'<!--'.repeat(n / 4)}</a>`],
  ['tests', (n: number) => `<testsuite>${'<testcase name="a"><failure/></testcase>'.repeat(n / 40)}</testsuite>`],
])('reads 4 MB of %s in linear time', (_, make) => {
  const bytes = Buffer.from(make(4_000_000));
  const cpu = process.cpuUsage();
  readResultFile(bytes);
  expect(process.cpuUsage(cpu).user / 1e6).toBeLessThan(5);
});

it('reads as many files as inflate to 64 MB together', async () => {
  const large = (name: number) =>
    `<testsuite><system-out>${' '.repeat(7_500_000)}</system-out><testcase name="${name}"><failure/></testcase></testsuite>`;
  const archive = zipFiles(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${at}.xml`, large(at)])));
  const { results, unread } = await readArtifactResults(archive, { bytes: TOTAL_BYTES });
  expect(results.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(unread.map(({ file }) => file)).toEqual(['8.xml', '9.xml', '10.xml', '11.xml']);
});

it('reads no archive with too many entries', async () => {
  const names = Array.from({ length: 30_000 }, (_, at) => `${at}.xml`);
  const archive = zipPacked(deflateRawSync(''), Buffer.alloc(0), names);
  expect(await readArtifactResults(archive, { bytes: TOTAL_BYTES })).toEqual({ results: [], unread: [] });
});
