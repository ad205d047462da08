// The operator's list of other CI: by the origin of its addresses the kind, the token and who else may be named.
import { z } from 'zod';
import { CausewayError } from '../core/errors.ts';
import { registerSecret } from '../log.ts';

export interface BuildHost {
  readonly kind: 'buildkite' | 'circleci' | 'jenkins';
  /** As addresses of checks begin: scheme, host and port. */
  readonly origin: string;
  /** Where its API is; the token is sent there alone. */
  readonly api: string;
  readonly token: string;
  /** Of Jenkins; "" for others. */
  readonly user: string;
  /** Below which Jenkins is, such as `/jenkins`; "" for the root. */
  readonly path: string;
  /** Origins that store the output of CircleCI's steps, which get no token. */
  readonly storage: readonly string[];
  /** `owner/name` in lower case of repositories that builds of Jenkins check out besides their own. */
  readonly libraries: readonly string[];
}

type BuildLogEnvironment = Readonly<Record<string, string | undefined>>;

const BUILDKITE = 'https://buildkite.com';
const CIRCLECI = 'https://circleci.com';
/** Services whose API has another origin than their pages. */
const APIS: Readonly<Record<string, string>> = {
  [BUILDKITE]: 'https://api.buildkite.com',
  'https://app.circleci.com': CIRCLECI,
};
const SHORTEST_TOKEN = 8;
const REFERENCE = /^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))$/;

const ORIGIN = z
  .string()
  .max(300)
  .refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.origin === text,
    'write an origin: scheme, host in lower case and, unless it is the usual one, port, such as https://jenkins.example.com:8443',
  );

const HOST = z
  .strictObject({
    kind: z.enum(['buildkite', 'circleci', 'jenkins']),
    token: z.string().min(1).max(4_000),
    user: z
      .string()
      .regex(/^[^:\0-\x1f]{1,200}$/, 'a name without colon')
      .default(''),
    api: ORIGIN.optional(),
    path: z
      .string()
      .regex(/^(?:\/[\w.-]{1,100}){0,5}$/, 'a path such as /jenkins, without a slash at its end')
      .default(''),
    storage: z.array(ORIGIN).max(20).default([]),
    libraries: z
      .array(z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'name each repository as owner/name'))
      .max(100)
      .default([]),
  })
  .superRefine(({ kind, user, storage, libraries, api, path }, check) => {
    const fault = (message: string): void => check.addIssue({ code: 'custom', message });
    if ((kind === 'jenkins') !== (user !== '')) fault('user is needed for jenkins, and for no other kind');
    if (kind !== 'circleci' && storage.length > 0) fault('storage is of circleci only');
    if (kind !== 'jenkins' && libraries.length + path.length > 0) fault('libraries and path are of jenkins only');
    if (kind === 'jenkins' && api !== undefined) fault('the API of Jenkins is at its own origin: remove api');
  });

const FILE = z.strictObject({ origins: z.record(ORIGIN, HOST) });

/**
 * Reads the text of the file that CI_LOGS names, and takes tokens written as `$NAME` from the environment. Throws
 * `usage` with one line for each fault. No value of the file is repeated in a fault: it could be a token.
 */
export function parseBuildHosts(text: string, environment: BuildLogEnvironment): ReadonlyMap<string, BuildHost> {
  const parsed = FILE.safeParse(parseBuildLogsJson(text.replace(/^\uFEFF/, '')));
  if (!parsed.success) throw new CausewayError('usage', parsed.error.issues.map(describeHostFault).join('\n'));
  const hosts = Object.entries(parsed.data.origins).map(([origin, { token: written, ...entry }]): BuildHost => {
    const token = resolveToken(origin, written, environment);
    registerSecret(token);
    const libraries = entry.libraries.map((name) => name.toLowerCase());
    return { ...entry, origin, token, libraries, api: entry.api ?? APIS[origin] ?? origin };
  });
  return new Map(hosts.map((host) => [host.origin, host]));
}

function resolveToken(origin: string, written: string, environment: BuildLogEnvironment): string {
  const [, braced, bare] = REFERENCE.exec(written) ?? [];
  const name = braced ?? bare;
  const token = name === undefined ? written : (environment[name]?.trim() ?? '');
  if (token === '' && name !== undefined)
    throw new CausewayError('usage', `CI_LOGS: ${origin} names the variable ${name}, which is not set. Set it.`);
  if (token.length < SHORTEST_TOKEN || /[^\x21-\x7e]/.test(token)) {
    const repair = `give one of at least ${SHORTEST_TOKEN} printable characters without white space`;
    throw new CausewayError('usage', `CI_LOGS: the token of ${origin} cannot be used: ${repair}.`);
  }
  return token;
}

function parseBuildLogsJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CausewayError('usage', 'CI_LOGS: the file is not JSON. Correct it, as docs/configuration.md has it.');
  }
}

/** A key is an origin, which is not a secret unless something else was written there. */
function describeHostFault(issue: z.core.$ZodIssue): string {
  const [, origin = '', ...rest] = issue.path.map(String);
  const where = [ORIGIN.safeParse(origin).success ? origin : '', rest.join('.')].filter(Boolean).join(', ');
  const message = issue.code === 'invalid_key' ? issue.issues.map((one) => one.message).join('; ') : issue.message;
  const known = issue.code === 'unrecognized_keys' ? 'unknown key; see docs/configuration.md' : message;
  return `CI_LOGS: ${where === '' ? '' : `${where}: `}${known.replace(/\.$/, '')}.`;
}
