// The ways to run, held to the truth: every variable that they name is a setting, every command exists, ports and users are the image's.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { readConfig } from '../../src/config.ts';
import { instructions } from '../support/image.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const DEPLOY = path.join(ROOT, 'deploy');
const textOf = (...names: readonly string[]) => readFileSync(path.join(...names), 'utf8');
/** Of Node itself, and set by our own launcher or image. */
const OF_NODE = ['NODE_COMPILE_CACHE', 'NODE_ENV', 'NODE_USE_ENV_PROXY'];
const IMAGE = Object.fromEntries(
  instructions()
    .filter(({ verb }) => verb === 'ENV')
    .flatMap(({ rest }) => rest.split(' ').map((pair) => pair.split('=') as [string, string])),
);
const USER = Number.parseInt(instructions().findLast(({ verb }) => verb === 'USER')?.rest ?? '0', 10);

/** Everything that the configuration asks the environment for, with a model and an App given. */
function settings(): ReadonlySet<string> {
  const asked = new Set<string>();
  const given: Readonly<Record<string, string>> = {
    ...{ MODEL: 'shop-1', OPENAI_API_KEY: 'key', DATABASE_URL: 'postgres://a@b/c' },
  };
  const environment = new Proxy<Record<string, string | undefined>>(given, {
    get: (_, name) => {
      asked.add(String(name));
      return given[String(name)];
    },
  });
  readConfig(environment);
  return asked;
}

const KNOWN = settings();

function unknownOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => !KNOWN.has(name) && !OF_NODE.includes(name));
}

/** What stands in the image's tree, and nothing else, may be started. */
function commandOf(words: readonly string[]): string {
  const [program = '', file = '', ...args] = words;
  expect([path.basename(program), path.basename(path.dirname(file)), path.basename(file)]).toEqual([
    'node',
    'src',
    'main.ts',
  ]);
  return parseCommandLine(args).kind;
}

/** One of each kind is needed, whatever else a manifest holds. */
const object = (value: unknown): Record<string, unknown> => (value ?? {}) as Record<string, unknown>;
const list = (value: unknown): readonly Record<string, unknown>[] =>
  (value ?? []) as readonly Record<string, unknown>[];
const WORKER_PORT = 3001;

describe('the settings of the ways to run', () => {
  it('are known, as far as they are told here', () => {
    for (const name of ['DATABASE_URL_FILE', 'PRIVATE_KEY_FILE', 'WORKER_PORT', 'MIRRORS_MAX_MB', 'MODEL_PRICES']) {
      expect(KNOWN).toContain(name);
    }
    expect(KNOWN).not.toContain('NO_SUCH_SETTING');
    expect(unknownOf(Object.keys(IMAGE))).toEqual([]);
    expect(readConfig({}).workerPort).toBe(WORKER_PORT);
  });
});

describe.each(['compose.yaml', 'deploy/compose.postgres.yaml'])('%s', (file) => {
  const compose = parse(textOf(ROOT, file), { merge: true });
  const all = Object.entries(object(compose.services)).map(([name, service]) => [name, object(service)] as const);
  const ours = all.filter(([, service]) => service['build'] !== undefined);

  it('names settings that there are, and commands that there are', () => {
    const of = (service: Record<string, unknown>) => unknownOf(Object.keys(object(service['environment'])));
    expect(ours.flatMap(([, service]) => of(service))).toEqual([]);
    const image = JSON.parse(instructions().findLast(({ verb }) => verb === 'CMD')?.rest ?? '');
    const kinds = ours.map(([, service]) => commandOf((service['command'] ?? image) as readonly string[]));
    expect(kinds).toEqual(file === 'compose.yaml' ? ['serve'] : ['migrate', 'serve', 'serve', 'worker', 'worker']);
  });

  it('gives each of ours a root that is only read, no capability, none to be had, and a folder for its data', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true },
      });
      expect(service).not.toHaveProperty('privileged');
      expect(service).not.toHaveProperty('user');
      const places = [...((service['volumes'] ?? []) as string[]), ...((service['tmpfs'] ?? []) as string[])];
      expect(places.some((place) => place.includes(IMAGE['DATA_DIR'] ?? 'nowhere'))).toBe(true);
    }
  });

  it('listens on loopback only, where the image listens, and asks the port of the role how it is', () => {
    for (const [name, service] of ours) {
      const published = (service['ports'] ?? []) as readonly string[];
      for (const port of published) expect(port).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+:${IMAGE['PORT']}$`));
      const test = JSON.stringify(object(service['healthcheck'])['test'] ?? '');
      if (name.startsWith('worker')) expect(test).toContain(`127.0.0.1:${WORKER_PORT}/healthz`);
      else if (test !== '""') expect(test).toContain(`127.0.0.1:${IMAGE['PORT']}/healthz`);
    }
  });

  it('mounts every secret that a setting names as a file', () => {
    for (const [, service] of all) {
      const named = Object.values(object(service['environment'])).filter((value) =>
        String(value).startsWith('/run/secrets/'),
      );
      const mounted = (service['secrets'] ?? []) as readonly string[];
      expect(named.map((value) => path.basename(String(value))).sort()).toEqual([...mounted].sort());
      for (const name of mounted) expect(object(compose.secrets)).toHaveProperty(name);
    }
  });
});

describe.each(['causeway.service', 'causeway-worker.service'])('the systemd unit %s', (file) => {
  const text = textOf(DEPLOY, 'systemd', file);
  const all = (key: string) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('starts a command that there is, with settings that there are', () => {
    const kind = commandOf((all('ExecStart')[0] ?? '').split(' '));
    expect(kind).toBe(file === 'causeway.service' ? 'serve' : 'worker');
    const pairs = all('Environment').flatMap((line) => line.split(' '));
    expect(unknownOf(pairs.map((pair) => pair.split('=')[0] ?? ''))).toEqual([]);
    expect(pairs).toContain(`DATA_DIR=%S/${all('StateDirectory')[0]}`);
  });

  it('starts with the Node of any processor, and is configured by the files that are there', () => {
    expect((all('ExecStart')[0] ?? '').split(' ')[0]).toBe('/opt/causeway/node_modules/.bin/node');
    expect(all('EnvironmentFile')).toEqual(['/etc/causeway/settings']);
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-credentials-'));
    try {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const given = {
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        webhook_secret: 'w'.repeat(32),
        encryption_key: 'a'.repeat(64),
        database_url: 'postgres://causeway@db.example.com/causeway',
        openai_api_key: 'a-key',
      };
      const read = (files: Readonly<Record<string, string>>) => {
        for (const credential of all('LoadCredential').map((line) => line.split(':')[0] ?? '')) {
          const defaults = all('SetCredential').filter((line) => line.startsWith(`${credential}:`));
          const content = files[credential] ?? (defaults.length > 0 ? '\n' : null);
          if (content === null) throw new Error(`the unit does not start without ${credential}`);
          writeFileSync(path.join(folder, credential), content);
        }
        const pairs = all('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
        const environment = pairs.map(([name, value = '']) => [
          name,
          value.replace('%d', folder).replace('%S', folder),
        ]);
        const own = { PUBLIC_URL: 'https://causeway.example.com', APP_ID: '1', MODEL: 'gpt-5.5' };
        return readConfig({
          ...Object.fromEntries(environment),
          ...own,
          ...(files['private_key'] ? {} : { APP_ID: '' }),
        });
      };
      expect(read(given)).toMatchObject({
        app: { kind: 'given' },
        database: { kind: 'postgres' },
        model: { kind: 'endpoint' },
      });
      if (file === 'causeway.service') {
        expect(read({})).toMatchObject({ app: { kind: 'none' }, database: { kind: 'sqlite' }, encryptionKey: null });
        expect(read({ encryption_key: given.encryption_key }).encryptionKey).toHaveLength(32);
      } else {
        const { webhook_secret: _, ...incomplete } = given;
        expect(() => read(incomplete)).toThrow('does not start without webhook_secret');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('hands over each secret as a credential, none in the environment itself', () => {
    const loaded = all('LoadCredential').map((line) => line.split(':')[0]);
    const named = all('Environment')
      .flatMap((line) => line.split(' '))
      .filter((pair) => pair.includes('_FILE='))
      .map((pair) => pair.split('=%d/')[1]);
    expect(named.toSorted()).toEqual(loaded.toSorted());
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('is what systemd understands, and closed', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-unit-'));
    try {
      const copy = path.join(folder, file);
      writeFileSync(copy, text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
      const verified = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
      expect([verified.status, verified.stderr]).toEqual([0, '']);
      // Exposure in tenths: 0 is closed, 100 open; a unit without any of it has 96.
      const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', copy], {
        encoding: 'utf8',
      });
      expect([judged.status, judged.stdout.slice(-200)]).toEqual([0, expect.anything()]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the Kubernetes manifests', () => {
  const folder = path.join(DEPLOY, 'kubernetes');
  const names = readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
  const documents = names.flatMap((name) => parseAllDocuments(textOf(folder, name)).map((each) => object(each.toJS())));
  const kind = (wanted: string) => documents.filter((each) => each['kind'] === wanted);
  const specOf = (each: Record<string, unknown>) => object(each['spec']);
  const pods = [...kind('Deployment'), ...kind('Job')].map((each) => object(object(specOf(each)['template'])['spec']));
  const containers = pods.flatMap((pod) => list(pod['containers']));

  it('are all named by the kustomization', () => {
    expect(parse(textOf(folder, 'kustomization.yaml')).resources.toSorted()).toEqual(names.toSorted());
  });

  it('name settings and commands that there are, and only files of the secret', () => {
    const [map] = kind('ConfigMap');
    const data = object(map?.['data']);
    expect(unknownOf(Object.keys(data))).toEqual([]);
    for (const container of containers) {
      const [secrets] = list(container['volumeMounts']).filter(({ name }) => name === 'secrets');
      for (const [name, value] of Object.entries(data)) {
        if (name.endsWith('_FILE')) expect(path.dirname(String(value))).toBe(secrets?.['mountPath']);
      }
    }
    const commands = containers.map(({ command }) => commandOf(command as readonly string[]));
    expect(commands.toSorted()).toEqual(['migrate', 'serve', 'worker']);
  });

  it('run as the image’s user with nothing that the restricted standard forbids', () => {
    expect(USER).toBeGreaterThan(0);
    for (const pod of pods) {
      const ids = { runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER };
      expect(pod['securityContext']).toEqual({ ...ids, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod['automountServiceAccountToken']).toBe(false);
      for (const forbidden of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.toHaveProperty(forbidden);
      expect(list(pod['volumes']).filter((volume) => 'hostPath' in volume)).toEqual([]);
    }
    for (const { securityContext } of containers) {
      const closed = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
      expect(securityContext).toEqual(closed);
    }
  });

  it('ask the right port whether it lives and is ready, and lead callers there', () => {
    const ports = { serve: Number(IMAGE['PORT']), worker: WORKER_PORT, migrate: undefined };
    for (const container of containers) {
      const [port] = list(container['ports']);
      expect(port?.['containerPort']).toBe(ports[container['name'] as keyof typeof ports]);
      if (container['name'] === 'migrate') continue;
      expect(container['livenessProbe']).toMatchObject({ httpGet: { path: '/healthz', port: port?.['name'] } });
      expect(container['readinessProbe']).toMatchObject({ httpGet: { path: '/readyz', port: port?.['name'] } });
    }
    const [service] = kind('Service').map(specOf);
    const [serve] = kind('Deployment').filter((each) => object(each['metadata'])['name'] === 'causeway-serve');
    expect(object(object(object(serve?.['spec'])['template'])['metadata'])['labels']).toEqual(service?.['selector']);
    expect(list(service?.['ports'])[0]?.['targetPort']).toBe('http');
  });

  it('select in each Deployment, budget and policy pods that there are', () => {
    const labels = kind('Deployment').map((each) =>
      object(object(object(specOf(each)['template'])['metadata'])['labels']),
    );
    const selectors = [
      ...[...kind('Deployment'), ...kind('PodDisruptionBudget')].map((each) => object(specOf(each)['selector'])),
      ...kind('NetworkPolicy').map((each) => object(specOf(each)['podSelector'])),
    ].map((selector) => Object.entries(object(selector['matchLabels'])));
    expect(selectors.length).toBeGreaterThan(5);
    for (const wanted of selectors) {
      expect(labels.some((label) => wanted.every(([name, value]) => label[name] === value))).toBe(true);
    }
  });
});
