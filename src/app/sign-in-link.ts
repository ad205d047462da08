// Sign-in links for the person at this machine: printed in the terminal, valid once and for an hour.
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import type { Account } from '../core/account/index.ts';
import type { SessionStore } from '../db/index.ts';
import { createSignInCode } from '../web/index.ts';

const LASTS_MS = 60 * 60_000;
/** Far longer than a server on the same machine needs. */
const ANSWER_MS = 3_000;

export interface LinkDeps {
  readonly store: Pick<SessionStore, 'addSignInCode'>;
  readonly account: Account;
  readonly now: () => Date;
}

/** A new link below that address; it invalidates earlier ones. */
export async function createSignInLink({ store, account, now }: LinkDeps, address: string): Promise<string> {
  const { code, hash } = createSignInCode();
  const moment = now();
  const expiresAt = new Date(moment.getTime() + LASTS_MS).toISOString();
  await store.addSignInCode({ hash, accountId: account.id, expiresAt, now: moment.toISOString() });
  return `${address}/sign-in/local?code=${code}`;
}

/** Base addresses, without a slash at their ends. */
export interface Announced {
  /** For people. */
  readonly address: string;
  /** Where the server itself listens, behind any proxy. */
  readonly listensAt: string;
}

/** Writes down where this server is, for other commands; removed when it ends, unless it is killed. */
export function announceAddress(dataDir: string, { address, listensAt }: Announced): Disposable {
  const file = getAddressFile(dataDir);
  writeFileSync(file, `${address}\n${listensAt}\n`, { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** Of the server that runs, or that was killed, over this folder; null: none. */
export function readAnnouncedAddress(dataDir: string): Announced | null {
  try {
    const [address = '', listensAt = ''] = readFileSync(getAddressFile(dataDir), 'utf8').split('\n');
    return address === '' || listensAt === '' ? null : { address, listensAt };
  } catch {
    return null;
  }
}

/** Whether Causeway answers there. Without the proxy of the environment, which does not lead back to this machine. */
export async function isAnswering({ listensAt }: Pick<Announced, 'listensAt'>, signal: AbortSignal): Promise<boolean> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const request = get(`${listensAt}/healthz`, { agent: false, signal: deadline });
    const [answer] = await once(request, 'response');
    const said: unknown = await json(answer);
    return typeof said === 'object' && said !== null && 'status' in said && said.status === 'alive';
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

function getAddressFile(dataDir: string): string {
  return path.join(dataDir, 'address');
}
