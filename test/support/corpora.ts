// The public corpora where scripts/fetch-corpora.mjs has put them: JSONTestSuite, the Big List of Naughty Strings, Wycheproof.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER =
  process.env['CORPORA'] ?? path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'corpora');

/** Whether all three are there; says aloud what is left out where they are not. */
export function haveCorpora(): boolean {
  const missing = ['json-test-suite', 'naughty-strings', 'wycheproof'].filter((name) => !existsSync(at(name)));
  if (missing.length > 0) process.stderr.write(`left out: ${missing} (node scripts/fetch-corpora.mjs brings them)\n`);
  return missing.length === 0;
}

interface JsonFile {
  readonly name: string;
  /** y: must be accepted, n: must be refused, i: either. */
  readonly kind: 'y' | 'n' | 'i';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function jsonFiles(): readonly JsonFile[] {
  return readdirSync(at('json-test-suite'))
    .filter((name) => /^[yni]_.*\.json$/.test(name))
    .toSorted()
    .map((name) => ({
      name,
      kind: name.startsWith('y') ? 'y' : name.startsWith('n') ? 'n' : 'i',
      bytes: new Uint8Array(readFileSync(at('json-test-suite', name))),
    }));
}

export function naughtyStrings(): readonly string[] {
  return JSON.parse(readFileSync(at('naughty-strings', 'blns.json'), 'utf8')) as string[];
}

export interface MacVector {
  readonly tcId: number;
  readonly key: Buffer;
  readonly message: Buffer;
  readonly tag: Buffer;
  readonly isValid: boolean;
}

interface MacFile {
  readonly testGroups: readonly {
    readonly tests: readonly Readonly<Record<'key' | 'msg' | 'tag' | 'result', string> & { tcId: number }>[];
  }[];
}

export function hmacVectors(): readonly MacVector[] {
  const file = JSON.parse(readFileSync(at('wycheproof', 'hmac_sha256_test.json'), 'utf8')) as MacFile;
  return file.testGroups
    .flatMap(({ tests }) => tests)
    .map(({ tcId, key, msg, tag, result }) => ({
      tcId,
      key: Buffer.from(key, 'hex'),
      message: Buffer.from(msg, 'hex'),
      tag: Buffer.from(tag, 'hex'),
      isValid: result === 'valid',
    }));
}

function at(...parts: readonly string[]): string {
  return path.join(FOLDER, ...parts);
}
