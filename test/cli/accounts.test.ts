import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listTokensOfAll, runAccountCommand } from '../../src/cli/accounts.ts';
import type { TokenCommand, WebhookSecretCommand } from '../../src/cli/command-line.ts';
import { hashToken, isTokenForm } from '../../src/core/account/account.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { migratedStore } from '../support/sqlite-template.ts';

const START = Date.parse('2025-03-01T12:00:00Z');
const DAY = 86_400_000;
const CREATE = {
  kind: 'token-create',
  name: 'laptop',
  scopes: ['issues:read'],
  expiresIn: 90 * DAY,
  account: null,
} as const;

async function openAccount() {
  const store = await migratedStore({ seal: createSeal(randomBytes(32)), enqueuer: createJobTable() });
  const now = new Date(START).toISOString();
  const account = await store.ensureAccount({ login: 'local', githubId: null, signingSecret: 'whsec_first', now });
  const clock = { ms: START };
  const deps = { store, account, now: () => new Date(clock.ms), newSecret: () => 'whsec_second' };
  const run = async (command: TokenCommand | WebhookSecretCommand) => {
    const io = scriptedTerminal();
    await runAccountCommand(command, io, deps);
    return io.printed;
  };
  return { id: account.id, store, clock, run, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

describe('token create', () => {
  it('prints nothing but the token on standard output, and stores only its hash', async () => {
    await using account = await openAccount();
    const { out, err } = await account.run(CREATE);
    const value = out.trimEnd();
    expect(isTokenForm(value)).toBe(true);
    expect(out).toBe(`${value}\n`);
    expect(err).not.toContain(value);
    expect(err).toMatch(/^Token tok_\w{20} has issues:read and expires on 2025-05-30 at 12:00 UTC\.\n/);
    const found = await account.store.findTokenByHash(hashToken(value));
    expect(found?.token).toMatchObject({
      name: 'laptop',
      scopes: ['issues:read'],
      expiresAt: '2025-05-30T12:00:00.000Z',
    });
  });

  it('without a time never expires', async () => {
    await using account = await openAccount();
    const { err } = await account.run({ ...CREATE, expiresIn: null });
    expect(err).toContain('does not expire.');
  });
});

describe('token list', () => {
  it('is an aligned table within 80 columns, without the tokens', async () => {
    await using account = await openAccount();
    await account.run(CREATE);
    account.clock.ms += 91 * DAY;
    await account.run({ ...CREATE, name: 'a name that is \u001b[2J far too long', expiresIn: null });
    const { out } = await account.run({ kind: 'token-list', account: null });
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(out.replaceAll(/tok_\w{20}/g, 'tok_00000000000000000000')).toMatchInlineSnapshot(`
      "ID                        NAME              CREATED     LAST USED   EXPIRES
      tok_00000000000000000000  a name that is…   2025-05-31  never       never
          issues:read
      tok_00000000000000000000  laptop            2025-03-01  never       expired
          issues:read
      "
    `);
  });

  it('of all accounts names each account that has one', async () => {
    await using account = await openAccount();
    const now = new Date(START).toISOString();
    const mona = await account.store.ensureAccount({ login: 'mona', githubId: 7, signingSecret: 'whsec_m', now });
    await account.store.ensureAccount({ login: 'nobody', githubId: 8, signingSecret: 'whsec_n', now });
    const io = scriptedTerminal();
    const { store } = account;
    await listTokensOfAll(io, store, new Date(START));
    expect(io.printed.out).toBe('');
    expect(io.printed.err).toContain('--account LOGIN');
    await account.run(CREATE);
    const context = { store, account: mona, now: () => new Date(START), newSecret: () => '' };
    await runAccountCommand({ ...CREATE, name: 'ci' }, scriptedTerminal(), context);
    await listTokensOfAll(io, store, new Date(START));
    expect(io.printed.out.replaceAll(/tok_\w{20}/g, 'tok_00000000000000000000')).toMatchInlineSnapshot(`
      "local
      ID                        NAME              CREATED     LAST USED   EXPIRES
      tok_00000000000000000000  laptop            2025-03-01  never       2025-05-30
          issues:read

      mona
      ID                        NAME              CREATED     LAST USED   EXPIRES
      tok_00000000000000000000  ci                2025-03-01  never       2025-05-30
          issues:read
      "
    `);
  });

  it('of no tokens says how to make one, and prints nothing on standard output', async () => {
    await using account = await openAccount();
    const { out, err } = await account.run({ kind: 'token-list', account: null });
    expect(out).toBe('');
    expect(err).toContain('causeway token create --name laptop');
  });
});

describe('token revoke', () => {
  it('ends the token, and the list shows it', async () => {
    await using account = await openAccount();
    const { err } = await account.run(CREATE);
    const id = /tok_\w+/.exec(err)?.[0] ?? '';
    await account.run({ kind: 'token-revoke', id, account: null });
    expect((await account.run({ kind: 'token-list', account: null })).out).toMatch(/ revoked\n/);
    await expect(account.run({ kind: 'token-revoke', id, account: null })).rejects.toMatchObject({
      code: 'absent',
      message: `There is no active token ${id}: "causeway token list" lists them.`,
    });
  });
});

describe('webhook-secret', () => {
  it('show prints nothing but the secret', async () => {
    await using account = await openAccount();
    expect(await account.run({ kind: 'webhook-secret-show', account: null })).toEqual({
      out: 'whsec_first\n',
      err: '',
    });
  });

  it("records the operator's acts for a GitHub user as the operator's", async () => {
    await using account = await openAccount();
    const { store, clock } = account;
    const now = new Date(clock.ms).toISOString();
    const mona = await store.ensureAccount({ login: 'mona', githubId: 7, signingSecret: 'whsec_mona', now });
    const io = scriptedTerminal();
    const deps = { store, account: mona, now: () => new Date(clock.ms), newSecret: () => 'whsec_next' };
    await runAccountCommand(CREATE, io, deps);
    await runAccountCommand({ kind: 'webhook-secret-show', account: 'mona' }, io, deps);
    await runAccountCommand({ kind: 'webhook-secret-rotate', account: 'mona' }, io, deps);
    const entries = await store.listAuditEntries({ accountId: mona.id, projectIds: [], limit: 3 });
    expect(entries.map(({ verb }) => verb)).toEqual([
      'secret.rotated_by_operator',
      'secret.shown_by_operator',
      'token.created_by_operator',
    ]);
  });

  it('rotate gives a new one, and both sign for 24 hours', async () => {
    await using account = await openAccount();
    const rotated = await account.run({ kind: 'webhook-secret-rotate', account: null });
    expect(rotated.out).toBe('whsec_second\n');
    expect(rotated.err).toContain('until 2025-03-02T12:00:00.000Z');
    const during = await account.run({ kind: 'webhook-secret-show', account: null });
    expect(during.out).toBe('whsec_second\n');
    expect(during.err).toContain('previous secret also signs');
    account.clock.ms += DAY;
    expect((await account.run({ kind: 'webhook-secret-show', account: null })).err).toBe('');
  });
});
