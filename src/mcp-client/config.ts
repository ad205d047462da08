// The operator's list of monitoring servers: how each is reached, for which projects, and with which tools. All faults
// are reported at once.
import path from 'node:path';
import { REDACTED } from 'causeway-redact';
import { z } from 'zod';
import { CausewayError } from '../core/errors.ts';
import { registerSecret } from '../log.ts';

export interface MonitoringConfig {
  /** In the order of the file, which is the order that the model sees. */
  readonly servers: readonly ServerConfig[];
}

export interface ServerConfig {
  readonly name: string;
  readonly reach: ServerReach;
  /** `owner/name` in lower case; no other project is served. */
  readonly projects: readonly string[];
  /** The tools that may be called, as the server names them; no other is offered. */
  readonly tools: readonly string[];
  readonly callTimeoutMs: number;
  readonly maxResultBytes: number;
  readonly allowPublic: boolean;
  readonly allowUntrustedReports: boolean;
}

/** A program started by us, or an address. Values of variables are not in here. */
export type ServerReach =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly string[];
    }
  | { readonly kind: 'address'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

const MAX_SERVERS = 20;

const MAX_TOOLS = 40;

/** Leaves room for the tool in a function name of 64 characters. */
const SERVER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,22}[a-z0-9])?$/;

/** Causeway's own secrets are passed to no server. */
const OURS =
  /^(?:PRIVATE_KEY|PRIVATE_KEY_PATH|WEBHOOK_SECRET|WEBHOOK_SECRET_OLD|ENCRYPTION_KEY|SESSION_SECRET|GITHUB_CLIENT_SECRET|DATABASE_URL)$/;

const text = z
  .string()
  .min(1)
  .max(4_000)
  .regex(/^[^\0\r\n]*$/, 'must be one line');

const VARIABLE = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'list the names of variables, never their values')
  .refine(
    (name) => !OURS.test(name),
    "is one of Causeway's own secrets, which no server gets; use a variable of another name",
  );

const SERVER = z
  .strictObject({
    command: text
      .refine(
        (command) => path.isAbsolute(command) || !/[\\/]/.test(command),
        'give a name that PATH finds, or an absolute path',
      )
      .optional(),
    args: z.array(z.string().max(4_000)).max(100).optional(),
    env: z.array(VARIABLE).max(50).optional(),
    url: z.string().max(4_000).superRefine(checkAddress).optional(),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'is no name of a header'), text).optional(),
    projects: z
      .array(
        z
          .string()
          .regex(
            /^[\w.-]+\/[\w.-]+$/,
            'name each project as owner/name (in local mode local/folder); there are no wildcards',
          ),
      )
      .default([]),
    tools: z
      .array(text.max(128))
      .max(MAX_TOOLS)
      .refine((tools) => new Set(tools).size === tools.length, 'name each tool once')
      .default([]),
    callTimeoutS: z.number().min(1).max(120).default(20),
    maxResultBytes: z.int().min(500).max(24_000).default(12_000),
    allowPublic: z.boolean().default(false),
    allowUntrustedReports: z.boolean().default(false),
  })
  .superRefine((entry, check) => {
    const fault = (message: string): void => check.addIssue({ code: 'custom', message });
    if ((entry.command === undefined) === (entry.url === undefined)) {
      fault('give either command (a program that Causeway starts) or url (an address)');
    }
    if (entry.url !== undefined && (entry.args || entry.env))
      fault('args and env go with command; beside url write headers');
    if (entry.command !== undefined && entry.headers) fault('headers go with url; beside command write env');
  });

const FILE = z.strictObject({
  servers: z
    .record(z.string().regex(SERVER_NAME, 'names of servers are 1 to 24 of a-z, 0-9 and -, not - at an end'), SERVER)
    .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `at most ${MAX_SERVERS} servers`),
});

/**
 * Reads the text of the file that MCP_CONFIG names. Throws `usage` with one line for each fault, which names the server
 * and the repair. No value of the file is repeated in a fault: it could be a secret written in the wrong place.
 */
export function parseMonitoringConfig(text: string): MonitoringConfig {
  const parsed = FILE.safeParse(parseServersJson(text.replace(/^\ufeff/, '')));
  if (!parsed.success) {
    throw new CausewayError(
      'usage',
      parsed.error.issues.map((issue) => `MCP_CONFIG: ${describeConfigFaults(issue)}.`).join('\n'),
    );
  }
  return { servers: Object.entries(parsed.data.servers).map(([name, entry]) => toServer(name, entry)) };
}

function toServer(name: string, entry: z.output<typeof SERVER>): ServerConfig {
  const { projects, callTimeoutS, tools, maxResultBytes, allowPublic, allowUntrustedReports } = entry;
  const reach: ServerReach =
    entry.url === undefined
      ? { kind: 'program', command: entry.command ?? '', args: entry.args ?? [], env: [...new Set(entry.env)] }
      : { kind: 'address', url: entry.url, headers: entry.headers ?? {} };
  return {
    name,
    reach,
    projects: projects.map((project) => project.toLowerCase()),
    tools,
    callTimeoutMs: callTimeoutS * 1_000,
    maxResultBytes,
    allowPublic,
    allowUntrustedReports,
  };
}

function parseServersJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the text around the fault; only the place may be shown.
    const place = /position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new CausewayError(
      'usage',
      `MCP_CONFIG: the file is not JSON${place ? ` (at ${place})` : ''}. Correct it there.`,
    );
  }
}

function checkAddress(address: string, check: z.core.$RefinementCtx<string>): void {
  const url = URL.parse(address);
  const fault = (message: string): void => check.addIssue({ code: 'custom', message, input: address });
  if (!url || !/^https?:$/.test(url.protocol)) fault('give an address that begins with https:// or http://');
  else if (url.username || url.password)
    fault('holds a user or password; write headers {"Authorization": "$NAME"} instead');
  else if (url.hash) fault('give the address without a fragment');
}

function describeConfigFaults(issue: z.core.$ZodIssue): string {
  const [top, server, ...rest] = issue.path.map(String);
  const who = top === 'servers' && server !== undefined ? `server "${sanitise(server)}"` : '';
  const where = [who, sanitise(rest.join('.')) || (who ? '' : (top ?? ''))].filter(Boolean).join(', ');
  return `${where ? `${where}: ` : ''}${describeConfigFault(issue)}`;
}

function describeConfigFault(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? ['servers'] : Object.keys(SERVER.shape);
    return `unknown ${issue.keys.map((key) => `"${sanitise(key)}"`).join(', ')}; what may stand here: ${known.join(', ')}`;
  }
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join('; ');
  return issue.message.replace(/\.$/, '');
}

function sanitise(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);
}

export type ProgramEnvironment = Readonly<Record<string, string | undefined>>;

/** What a server is given, and what must not be shown elsewhere. */
export interface Given {
  readonly environment: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The text with every such value replaced. */
  readonly withoutSecrets: (text: string) => string;
}

const REFERENCE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

const UNFIT_FOR_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

const SECRET_NAME = /auth|cookie|credential|key|pass|private|pwd|secret|signature|token/i;

/** Shorter values occur in ordinary text. */
const MIN_SECRET = 8;

/**
 * Resolves the variables of every server. Throws `usage` with one line for each that is missing; registers the secret
 * values.
 */
export function resolveVariables(
  config: MonitoringConfig,
  environment: ProgramEnvironment,
): ReadonlyMap<string, Given> {
  const faults: string[] = [];
  const given = config.servers.map((server) => {
    const missing = listVariables(server).filter((name) => !environment[name]);
    faults.push(...missing.map((name) => findNameFault(server.name, name)));
    if (server.reach.kind === 'address') {
      const unfit = listVariables(server).filter((name) => UNFIT_FOR_HEADER.test(environment[name]?.trim() ?? ''));
      faults.push(...unfit.map((name) => describeUnfitName(server.name, name)));
    }
    return [server.name, resolveFor(server, environment)] as const;
  });
  if (faults.length > 0) throw new CausewayError('usage', faults.join('\n'));
  return new Map(given);
}

function findNameFault(server: string, name: string): string {
  return `MCP_CONFIG: server "${server}" names the variable ${name}, which is not set. Set it, or take it out of the entry.`;
}

function describeUnfitName(server: string, name: string): string {
  return `MCP_CONFIG: server "${server}" puts the variable ${name} into a header, but it holds a line end or another character that no header may hold. Correct its value.`;
}

function listVariables({ reach }: ServerConfig): readonly string[] {
  if (reach.kind === 'program') return reach.env;
  return findVariableNames(Object.values(reach.headers));
}

function findVariableNames(templates: readonly string[]): readonly string[] {
  return [...new Set(templates.flatMap((template) => [...template.matchAll(REFERENCE)].map(listReferred)))];
}

function listReferred([, braced, bare]: RegExpExecArray | readonly string[]): string {
  return braced ?? bare ?? '';
}

function resolveFor({ reach }: ServerConfig, environment: ProgramEnvironment): Given {
  const value = (name: string): string => environment[name] ?? '';
  if (reach.kind === 'program') {
    const own = Object.fromEntries(reach.env.map((name) => [name, value(name)]));
    const secrets = reach.env.flatMap((name) => listServerSecrets(name, value(name)));
    return { environment: { PATH: value('PATH'), ...own }, headers: {}, withoutSecrets: createRemover(secrets) };
  }
  const filled = (template: string): string =>
    template.replace(REFERENCE, (...found) => value(listReferred(found)).trim());
  const headers = Object.entries(reach.headers).map(([name, template]) => [name, filled(template)] as const);
  const secrets = [
    ...findVariableNames(Object.values(reach.headers)).flatMap((name) => listServerSecrets(name, value(name).trim())),
    // The value of a header with a secret's name: whole, and without the scheme.
    ...headers.flatMap(([name, text]) => (SECRET_NAME.test(name) ? [text, text.replace(/^\S+ +/, '')] : [])),
  ];
  return { environment: {}, headers: Object.fromEntries(headers), withoutSecrets: createRemover(secrets) };
}

/** An address, a path, a number, a host, one word or a short one. */
const PLAIN = /^(?:https?:\/\/[^\s?#@]*|\/[\w./-]*|[\d.,:]*|[\w.-]+:\d+|[A-Za-z._-]*|[\w.-]{0,15})$/;

/**
 * A value is secret unless it is plain and its name does not say otherwise: an address or a word like `production` is
 * no secret, and redacting it would damage reports. The password in an address is one.
 */
function listServerSecrets(name: string, value: string): readonly string[] {
  const url = URL.parse(value);
  if (url?.password) return [value, url.password, decodeValue(url.password)];
  return PLAIN.test(value) && !SECRET_NAME.test(name) ? [] : [value];
}

function decodeValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function createRemover(values: readonly string[]): Given['withoutSecrets'] {
  // A value may return line by line, or inside a string of JSON.
  const forms = values.flatMap((value) => [value, ...value.split(/\r?\n/), JSON.stringify(value).slice(1, -1)]);
  const secrets = [...new Set(forms)].filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  for (const secret of secrets) registerSecret(secret);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}
