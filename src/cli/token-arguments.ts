// Understands the arguments of `token`.
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../core/account.ts';
import type { Command } from './command.ts';
import { didYouMean } from './did-you-mean.ts';
import { type OptionKinds, type Options, readOptions, unknownVerb, usage } from './options.ts';

const HOUR = 60 * 60 * 1_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
/** Ten years: far enough for any token, near enough for every date type. */
const LONGEST = 3_650 * 24 * HOUR;

export function parseToken(args: readonly string[]): Command {
  const kinds: OptionKinds = { name: 'string', scopes: 'string', expires: 'string', account: 'string' };
  const options = readOptions(args, kinds, 'token');
  if (options.help) return { kind: 'help', topic: 'token' };
  const [verb, id, ...more] = options.positionals;
  const account = options.value('account') ?? null;
  const wanted = ['name', 'scopes', 'expires'].filter((name) => options.flag(name));
  if (verb !== 'create' && wanted.length > 0) throw usage(`--${wanted[0]} belongs to "token create".`, 'token');
  if (verb === 'revoke') {
    if (id === undefined || more.length > 0) throw usage('Name the one token to revoke by its id (tok_…).', 'token');
    return { kind: 'token-revoke', id, account };
  }
  if (id !== undefined) throw usage(`"token ${verb}" takes no argument "${id}".`, 'token');
  if (verb === 'list') return { kind: 'token-list', account };
  if (verb !== 'create') throw usage(unknownVerb('token', verb, ['create', 'list', 'revoke']), 'token');
  return tokenCreate(options, account);
}

function tokenCreate(options: Options, account: string | null): Command {
  const name = options.value('name')?.trim();
  if (!name) throw usage('A token needs a name: causeway token create --name laptop.', 'token');
  if (name.length > 100) throw usage('The name of a token has at most 100 characters.', 'token');
  return {
    kind: 'token-create',
    name,
    scopes: scopes(options.value('scopes')),
    expiresIn: duration(options.value('expires')),
    account,
  };
}

function scopes(value: string | undefined): readonly Scope[] {
  if (value === undefined) return DEFAULT_SCOPES;
  const wanted = value.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, SCOPES) || ` Give some of ${SCOPES.join(',')}.`;
    throw usage(`There is no scope "${unknown}".${hint}`, 'token');
  }
  return SCOPES.filter((scope) => wanted.includes(scope));
}

/** Milliseconds of `12h`, `90d` or `4w`. */
function duration(value: string | undefined): number | null {
  if (value === undefined) return null;
  const [, count = '', unit = ''] = /^(\d{1,6})([hdw])$/.exec(value) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? 0);
  if (milliseconds > 0 && milliseconds <= LONGEST) return milliseconds;
  throw usage(`--expires takes hours, days or weeks up to 3650d, such as 12h, 90d or 4w, not "${value}".`, 'token');
}
