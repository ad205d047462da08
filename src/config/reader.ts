// Reads single variables: each kind of value has one verb, and every fault is kept with its variable.
import { readFileSync } from 'node:fs';
import { CausewayError } from '../core/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Reader = ReturnType<typeof reader>;
type Range = { readonly from: number; readonly to: number; readonly or?: string };

/** An empty variable counts as absent; every secret may stand in a file named by `NAME_FILE`. */
export function reader(environment: Environment) {
  const faults: string[] = [];
  const secrets: string[] = [];
  const text = (name: string, fallback: string): string => environment[name]?.trim() || fallback;
  const file = (name: string, path: string): string | null => {
    try {
      return readFileSync(path, 'utf8').trim() || null;
    } catch (error) {
      faults.push(`${name} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
      return null;
    }
  };
  const secret = (name: string): string | null => {
    const path = text(`${name}_FILE`, '');
    const value = path === '' ? text(name, '') || null : file(`${name}_FILE`, path);
    if (value !== null) secrets.push(value);
    return value;
  };
  const integer = (name: string, fallback: number, range: Range): number => {
    const value = text(name, String(fallback));
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= range.from && number <= range.to) return number;
    faults.push(`${name} is "${value}": give a whole number from ${range.from} to ${range.to}${range.or ?? ''}.`);
    return fallback;
  };
  const dollars = (name: string, fallback: number): number => {
    const value = text(name, String(fallback)).replace(/^\$/, '');
    if (/^\d{1,9}(\.\d{1,6})?$/.test(value)) return Number(value);
    faults.push(`${name} is "${value}": give US dollars, such as 25 or 0.50.`);
    return fallback;
  };
  const oneOf = <T extends string>(name: string, fallback: T, values: readonly T[]): T => {
    const value = text(name, fallback);
    const known = values.find((each) => each === value);
    if (known === undefined) faults.push(`${name} is "${value}": give one of ${values.join(', ')}.`);
    return known ?? fallback;
  };
  const address = (name: string, fallback: string): string => {
    const value = text(name, fallback).replace(/(?<!\/)\/+$/, '');
    if (value !== '' && !/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
      faults.push(`${name} is "${value}": give an address that begins with https:// or http://.`);
    }
    return value;
  };
  const key = (name: string): Buffer | null => {
    const value = secret(name);
    if (value === null) return null;
    const bytes = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
    if (bytes.length !== 32)
      faults.push(`${name} must be 32 bytes as 64 hex digits or base64 ("openssl rand -hex 32" makes one).`);
    return bytes;
  };
  const finish = (): void => {
    if (faults.length > 0) throw new CausewayError('usage', faults.join('\n'));
  };
  const fault = (words: string): void => void faults.push(words);
  return { text, file, secret, secrets, integer, dollars, oneOf, address, key, fault, finish };
}
