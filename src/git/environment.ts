// The environment of every git process: no configuration but ours, no prompt, no hook, no transport that the call does not need.
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { CausewayError } from '../core/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Protocol = 'file' | 'http' | 'https';

/** One configuration entry, handed over in the environment: it is stronger than any file and never in the process list. */
export type ConfigEntry = readonly [key: string, value: string];

export interface Isolation {
  /** Transports that this one call may use; every other is refused by git itself. */
  readonly protocols: readonly Protocol[];
  readonly config: readonly ConfigEntry[];
  /** Bundle of certificate authorities, or "" for git's own. */
  readonly certificates: string;
}

// Git for Windows maps this name to its own null device, so it holds everywhere.
const NOTHING = '/dev/null';

const INHERITED = [
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'SystemRoot',
  'COMSPEC',
  'PATHEXT',
  'WINDIR',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

const FIXED: Readonly<Record<string, string>> = {
  // curl would read ~/.netrc, git ~/.config/git/attributes.
  HOME: NOTHING,
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: NOTHING,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  // A partial clone would fetch missing objects through whatever transport its own configuration names (CVE-2024-32004).
  GIT_NO_LAZY_FETCH: '1',
  GIT_PROTOCOL_FROM_USER: '0',
};

const HARDENING: readonly ConfigEntry[] = [
  ['core.hooksPath', NOTHING],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', NOTHING],
  ['core.excludesFile', NOTHING],
  ['core.useReplaceRefs', 'false'],
  ['core.quotePath', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.unpackLimit', '1'],
  ['fetch.writeCommitGraph', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['transfer.bundleURI', 'false'],
  ['color.ui', 'false'],
  ['log.showSignature', 'false'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  // A server that sends less than 1 kB/s for a minute has stalled.
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
  // Reading a repository of another user is safe here: nothing that its configuration could name is ever started.
  ['safe.directory', '*'],
];

/** The complete environment of one git process: chosen variables of `from`, our fixed ones, and the configuration. */
export function isolatedEnvironment(from: Environment, isolation: Isolation): Record<string, string> {
  const environment: Record<string, string> = { ...FIXED, PATH: absolutePath(from) };
  for (const name of INHERITED) {
    const value = from[name];
    if (value) environment[name] = value;
  }
  if (isolation.certificates !== '') environment['GIT_SSL_CAINFO'] = isolation.certificates;
  const allowed = isolation.protocols.map((protocol): ConfigEntry => [`protocol.${protocol}.allow`, 'always']);
  const config = [...HARDENING, ...allowed, ...isolation.config];
  environment['GIT_CONFIG_COUNT'] = String(config.length);
  for (const [index, [key, value]] of config.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

/** The absolute folders of PATH, in order: `.` and empty entries would mean the folder a process works in. */
export function absolutePath(from: Environment): string {
  const entries = (from['PATH'] ?? from['Path'] ?? '').split(delimiter);
  return entries.filter((entry) => isAbsolute(entry)).join(delimiter);
}

/**
 * Gives the path of a bundle below `folder` that adds the file named by NODE_EXTRA_CA_CERTS to the usual authorities; "" without such a file.
 * Git takes a bundle in place of its own, not in addition: the file alone would shut out every public host. Written when first asked for.
 */
export function createCertificates(folder: string, extraFile: string | undefined): () => string {
  let written = '';
  return () => {
    if (extraFile === undefined || extraFile === '' || written !== '') return written;
    const bundle = [...getCACertificates('bundled'), ...getCACertificates('system'), readExtra(extraFile)];
    written = join(folder, 'certificates.pem');
    writeFileSync(written, bundle.join('\n'));
    return written;
  };
}

function readExtra(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CausewayError(
      'repository_unreachable',
      `No repository can be fetched: NODE_EXTRA_CA_CERTS names ${file}, which cannot be read. Correct or unset it.`,
      { cause },
    );
  }
}
