// The file that only grows: what was written is there again, and whatever happens to it costs no more than what it happened to.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecordFile } from '../../src/search/record-file.ts';
import { encodeRecord } from '../../src/search/records.ts';

const IDS = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(40, '0'));
let folder: string;
let file: string;
let troubles: unknown[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-records-'));
  file = path.join(folder, 'prj.blobs');
  troubles = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function opened(version = 1): RecordFile {
  return new RecordFile({ file, version, onTrouble: (error) => void troubles.push(error) });
}

/** What is kept under an id is made of the id, so that a mix-up shows. */
function payloadOf(id: string): Uint32Array {
  const seed = Number.parseInt(id.slice(-6), 16);
  return Uint32Array.from({ length: (seed % 50) + 1 }, (_, index) => seed * 1_000 + index);
}

function recordsOf(ids: readonly string[]): Uint8Array {
  return Buffer.concat(ids.map((id) => encodeRecord(id, payloadOf(id))));
}

/** The ids that are found; throws where one has the payload of another. */
async function idsIn(records: RecordFile): Promise<readonly string[]> {
  const found = await records.read(IDS);
  for (const [id, payload] of found) expect([...payload]).toEqual([...payloadOf(id)]);
  return [...found.keys()].sort();
}

it('what was appended is there for whoever opens the file later', async () => {
  const records = opened();
  await records.append(recordsOf(IDS.slice(0, 10)));
  await records.append(recordsOf(IDS.slice(10, 20)));
  expect(await idsIn(records)).toEqual(IDS.slice(0, 20));
  expect(await idsIn(opened())).toEqual(IDS.slice(0, 20));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a last record that was torn at any byte is missing, alone, and the next ones are found behind it', async () => {
  await opened().append(recordsOf(IDS.slice(0, 3)));
  const before = statSync(file).size;
  await opened().append(recordsOf(IDS.slice(3, 4)));
  const whole = readFileSync(file);
  for (let length = before; length < whole.length; length++) {
    writeFileSync(file, whole.subarray(0, length));
    const records = opened();
    expect(await idsIn(records)).toEqual(IDS.slice(0, 3));
    await records.append(recordsOf(IDS.slice(3, 6)));
    expect(await idsIn(records)).toEqual(IDS.slice(0, 6));
    expect(await idsIn(opened())).toEqual(IDS.slice(0, 6));
  }
});

it('a large record that was torn hides none of those that were appended behind it', async () => {
  await opened().append(recordsOf(IDS.slice(0, 2)));
  const torn = encodeRecord('e'.repeat(40), new Uint32Array(50_000).fill(7)).subarray(0, 3_001);
  writeFileSync(file, Buffer.concat([readFileSync(file), torn]));
  const records = opened();
  await records.append(recordsOf(IDS.slice(2, 5)));
  expect(await idsIn(records)).toEqual(IDS.slice(0, 5));
  await records.append(recordsOf(IDS.slice(5, 6)));
  expect(await idsIn(records)).toEqual(IDS.slice(0, 6));
  expect(await idsIn(opened())).toEqual(IDS.slice(0, 6));
});

it('a record damaged in the middle is missing, and only that one, also for who knew it before', async () => {
  const known = opened();
  await known.append(recordsOf(IDS.slice(0, 30)));
  expect(await idsIn(known)).toEqual(IDS.slice(0, 30));
  const bytes = readFileSync(file);
  bytes[16 + recordsOf(IDS.slice(0, 7)).length + 40]! ^= 255;
  writeFileSync(file, bytes);
  const others = IDS.slice(0, 30).filter((id) => id !== IDS[7]);
  expect(await idsIn(known)).toEqual(others);
  expect(await idsIn(opened())).toEqual(others);
  await known.append(recordsOf(IDS.slice(7, 8)));
  expect(await idsIn(known)).toEqual(IDS.slice(0, 30));
});

it('records that are larger than what is read at once are found, and those behind them', async () => {
  const large = new Uint32Array(700_000).fill(9);
  const records = opened();
  await records.append(Buffer.concat([recordsOf(IDS.slice(0, 1)), encodeRecord('f'.repeat(40), large)]));
  await records.append(recordsOf(IDS.slice(1, 2)));
  expect((await opened().read(['f'.repeat(40)])).get('f'.repeat(40))).toEqual(large);
  expect(await idsIn(opened())).toEqual(IDS.slice(0, 2));
});

describe('a file that is not one of ours', () => {
  it.each([
    ['of another version', (): Promise<void> => opened(2).append(recordsOf(IDS.slice(0, 4)))],
    ['of noise', async () => writeFileSync(file, Buffer.alloc(5_000, 'noise'))],
    ['cut within its head', async () => writeFileSync(file, Buffer.alloc(7, 1))],
  ])('%s is begun anew', async (_, make) => {
    await make();
    const records = opened();
    expect(await idsIn(records)).toEqual([]);
    await records.append(recordsOf(IDS.slice(0, 2)));
    expect(await idsIn(opened())).toEqual(IDS.slice(0, 2));
    expect(troubles).toEqual([]);
  });

  it('but a folder is left alone: nothing is kept, and nothing fails', async () => {
    const records = new RecordFile({ file: folder, version: 1, onTrouble: (error) => void troubles.push(error) });
    await records.append(recordsOf(IDS.slice(0, 2)));
    expect(await records.read(IDS)).toEqual(new Map());
    expect(troubles.length).toBeGreaterThan(0);
  });
});

describe('two writers of one file', () => {
  it('at the same time lose nothing, and each finds what the other wrote', async () => {
    const [one, other] = [opened(), opened()];
    const batches = Array.from({ length: 30 }, (_, index) => IDS.slice(index * 10, index * 10 + 10));
    await Promise.all(batches.map((ids, index) => (index % 2 === 0 ? one : other).append(recordsOf(ids))));
    for (const records of [one, other, opened()]) expect(await idsIn(records)).toEqual(IDS);
  });

  it('go on where one of them puts a smaller file in its place', async () => {
    const [one, other] = [opened(), opened()];
    await one.append(recordsOf(IDS.slice(0, 100)));
    expect(await idsIn(other)).toEqual(IDS.slice(0, 100));
    await one.shrinkTo(IDS.slice(90, 95));
    await other.append(recordsOf(IDS.slice(200, 210)));
    for (const records of [one, other, opened()]) {
      expect(await idsIn(records)).toEqual([...IDS.slice(90, 95), ...IDS.slice(200, 210)]);
    }
    expect(readdirSync(folder)).toEqual(['prj.blobs']);
  });

  it('are served by a file that one of them removed', async () => {
    const [one, other] = [opened(), opened()];
    await one.append(recordsOf(IDS.slice(0, 10)));
    expect(await idsIn(other)).toHaveLength(10);
    await one.remove();
    expect(await idsIn(other)).toEqual([]);
    await other.append(recordsOf(IDS.slice(0, 3)));
    expect(await idsIn(opened())).toEqual(IDS.slice(0, 3));
  });
});

it('a smaller file has what was asked for, and is that much smaller', async () => {
  const records = opened();
  await records.append(recordsOf(IDS));
  const kept = IDS.filter((_, index) => index % 7 === 0);
  expect(records.sizeOf(kept)).toBe(recordsOf(kept).length);
  await records.shrinkTo(kept);
  expect(await idsIn(records)).toEqual(kept);
  expect(statSync(file).size).toBe(16 + recordsOf(kept).length);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('nothing is written after its removal, not even what was under way', async () => {
  const records = opened();
  await records.append(recordsOf(IDS.slice(0, 10)));
  const underWay = records.append(recordsOf(IDS.slice(10, 20)));
  const removed = records.remove();
  const late = records.append(recordsOf(IDS.slice(20, 30)));
  await Promise.all([underWay, removed, late]);
  expect(readdirSync(folder)).toEqual([]);
});
