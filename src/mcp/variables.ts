// Values of the variables that the configuration names: into the server's environment or headers, and out of every word that we write.

import { CausewayError } from '../core/errors.ts';
import { REDACTED } from '../core/redacted.ts';
import { registerSecret } from '../log.ts';
import type { MonitoringConfig, ServerConfig } from './config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a server is given, with the values that nobody else may see. */
export interface Given {
  readonly environment: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The text with every such value replaced. */
  readonly withoutSecrets: (text: string) => string;
}

const REFERENCE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;
const UNFIT_FOR_HEADER = /[^\t\x20-\x7e\x80-\xff]/;
const SECRET_NAME = /auth|cookie|credential|key|pass|private|pwd|secret|signature|token/i;
/** Shorter values would tear ordinary text. */
const MIN_SECRET = 8;

/** Resolves the variables of every server. Throws `usage` with one line for each that is missing; registers the secret values. */
export function giveVariables(config: MonitoringConfig, environment: Environment): ReadonlyMap<string, Given> {
  const faults: string[] = [];
  const given = config.servers.map((server) => {
    const missing = namesOf(server).filter((name) => !environment[name]);
    faults.push(...missing.map((name) => faultOf(server.name, name)));
    if (server.reach.kind === 'address') {
      const unfit = namesOf(server).filter((name) => UNFIT_FOR_HEADER.test(environment[name]?.trim() ?? ''));
      faults.push(...unfit.map((name) => unfitFault(server.name, name)));
    }
    return [server.name, giveTo(server, environment)] as const;
  });
  if (faults.length > 0) throw new CausewayError('usage', faults.join('\n'));
  return new Map(given);
}

function faultOf(server: string, name: string): string {
  return `MCP_CONFIG: server "${server}" names the variable ${name}, which is not set. Set it, or take it out of the entry.`;
}

function unfitFault(server: string, name: string): string {
  return `MCP_CONFIG: server "${server}" puts the variable ${name} into a header, but it holds a line end or another character that no header may hold. Correct its value.`;
}

function namesOf({ reach }: ServerConfig): readonly string[] {
  if (reach.kind === 'program') return reach.env;
  return namesIn(Object.values(reach.headers));
}

function namesIn(templates: readonly string[]): readonly string[] {
  return [...new Set(templates.flatMap((template) => [...template.matchAll(REFERENCE)].map(referred)))];
}

function referred([, braced, bare]: RegExpExecArray | readonly string[]): string {
  return braced ?? bare ?? '';
}

function giveTo({ reach }: ServerConfig, environment: Environment): Given {
  const value = (name: string): string => environment[name] ?? '';
  if (reach.kind === 'program') {
    const own = Object.fromEntries(reach.env.map((name) => [name, value(name)]));
    const secrets = reach.env.flatMap((name) => secretsIn(name, value(name)));
    return { environment: { PATH: value('PATH'), ...own }, headers: {}, withoutSecrets: remover(secrets) };
  }
  const filled = (template: string): string => template.replace(REFERENCE, (...found) => value(referred(found)).trim());
  const headers = Object.entries(reach.headers).map(([name, template]) => [name, filled(template)] as const);
  const secrets = [
    ...namesIn(Object.values(reach.headers)).flatMap((name) => secretsIn(name, value(name).trim())),
    // A header that says what it is for: whole, and without the scheme before it.
    ...headers.flatMap(([name, text]) => (SECRET_NAME.test(name) ? [text, text.replace(/^\S+ +/, '')] : [])),
  ];
  return { environment: {}, headers: Object.fromEntries(headers), withoutSecrets: remover(secrets) };
}

/** An address, a path, a number, a host, one word or a short one. */
const PLAIN = /^(?:https?:\/\/[^\s?#@]*|\/[\w./-]*|[\d.,:]*|[\w.-]+:\d+|[A-Za-z._-]*|[\w.-]{0,15})$/;

/**
 * A value is secret unless it is plain and its name does not say otherwise: a server's address or a word like `production` is no
 * secret, and taken out of all that is stored it would tear reports. The password in an address is one.
 */
function secretsIn(name: string, value: string): readonly string[] {
  const url = URL.parse(value);
  if (url?.password) return [value, url.password, decoded(url.password)];
  return PLAIN.test(value) && !SECRET_NAME.test(name) ? [] : [value];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function remover(values: readonly string[]): Given['withoutSecrets'] {
  // One may come back line by line, or inside a string of JSON.
  const forms = values.flatMap((value) => [value, ...value.split(/\r?\n/), JSON.stringify(value).slice(1, -1)]);
  const secrets = [...new Set(forms)].filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  for (const secret of secrets) registerSecret(secret);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}
