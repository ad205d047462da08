// `causeway doctor`: everything that the service stands on is asked once, all at the same time, without changing any of it.

import { type Finding, printFindings } from '../../cli/operator-text.ts';
import type { ExitCode, Io } from '../../cli/terminal.ts';
import { type AppCredentials, type Config, readConfig } from '../../config.ts';
import { CausewayError } from '../../core/errors.ts';
import { createGithubClients } from '../../github/clients/create-github-clients.ts';
import { readApp, readHook } from '../../github/examination/read-app.ts';
import { registerSecret } from '../../log.ts';
import { chooseEndpoint } from '../../models/endpoint.ts';
import { chooseMode, type ServiceMode } from '../mode.ts';
import { USER_AGENT, VERSION } from '../services.ts';
import { appProbes, type Clocks, clockProbe, createClocks, publicUrlProbe, webhookProbe } from './github.ts';
import { databaseProbe, dataFolderProbe, diskProbe, gitProbe, monitoringProbe, NODE_PROBE } from './machine.ts';

import { modelProbe } from './model.ts';

import { askAll, fail, ok, type Probe, type Verdict, warn } from './probe.ts';

export interface DoctorContext {
  readonly io: Pick<Io, 'out' | 'colour'>;
  readonly environment: Config['environment'];
  readonly now: () => Date;
}

/** Works beside a running service. 1 where something does not work. */
export async function doctor(json: boolean, context: DoctorContext, signal: AbortSignal): Promise<ExitCode> {
  return printFindings(await examineAll(context, signal), context.io, json);
}

async function examineAll({ environment, now }: DoctorContext, signal: AbortSignal): Promise<readonly Finding[]> {
  const config = configOf(environment);
  if (config instanceof CausewayError) {
    const settings: Probe = { check: 'settings', ask: async () => faultsOf(config) };
    return await askAll([settings, NODE_PROBE, gitProbe({ environment })], [], signal);
  }
  const mode = modeOf(config);
  const credentials = !(mode instanceof CausewayError) && mode.kind === 'github' ? mode.credentials : null;
  const secrets = secretsOf(config, credentials);
  for (const secret of secrets) registerSecret(secret);
  const clocks = createClocks(now);
  const github = credentials === null ? null : openGithub(config, credentials, { clocks, now });
  const monitoring = monitoringProbe(config);
  const probes: readonly Probe[] = [
    { check: 'settings', ask: async () => judgeMode(config, mode) },
    ...[NODE_PROBE, gitProbe(config), dataFolderProbe(config), diskProbe(config), databaseProbe(config, now)],
    ...(github === null ? [] : github.probes(mode, signal)),
    modelProbe(config, now),
    // Without either there is no clock to compare with, and none that must agree.
    ...(github === null && modelUrlOf(config) === ''
      ? []
      : [clockProbe(clocks, github?.asked(signal) ?? Promise.resolve(), modelUrlOf(config))]),
    ...(monitoring === null ? [] : [monitoring]),
  ];
  try {
    return await askAll(probes, secrets, signal);
  } finally {
    github?.[Symbol.dispose]();
  }
}

function configOf(environment: Config['environment']): Config | CausewayError {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof CausewayError) return error;
    throw error;
  }
}

function modeOf(config: Config): ServiceMode | CausewayError {
  try {
    return chooseMode(config);
  } catch (error) {
    if (error instanceof CausewayError) return error;
    throw error;
  }
}

/** One for each line, whose words name the variable and the repair. */
function faultsOf({ message }: CausewayError): readonly Verdict[] {
  return message.split('\n').map((line) => fail('not as they must be', line));
}

function judgeMode(config: Config, mode: ServiceMode | CausewayError): readonly Verdict[] {
  if (mode instanceof CausewayError) return faultsOf(mode);
  const words = {
    local: 'local mode',
    setup: 'set-up mode: no App yet',
    github: `GitHub mode, ${config.maxMode} at most`,
  };
  const setup = warn(
    words.setup,
    `Open ${config.publicUrl || 'the address of the service'}/setup, which makes the App.`,
  );
  return [mode.kind === 'setup' ? setup : ok(`Causeway ${VERSION}, ${words[mode.kind]}`)];
}

function secretsOf({ secrets, database }: Config, app: AppCredentials | null): readonly string[] {
  // An address of a database that holds no password is none.
  const shown = database.kind === 'postgres' ? database.shown : '';
  const ofApp = app === null ? [] : [app.privateKey, ...app.webhookSecrets, app.clientSecret];
  return [...secrets, ...ofApp].filter((secret) => secret !== '' && secret !== shown);
}

/** Asked once, whoever needs it first. */
function openGithub(
  config: Config,
  credentials: AppCredentials,
  { clocks, now }: { readonly clocks: Clocks; readonly now: () => Date },
) {
  const clients = createGithubClients({
    ...credentials,
    ...{ apiUrl: config.githubApiUrl, webUrl: config.githubWebUrl, userAgent: USER_AGENT, now },
    ...{ fetch: clocks.fetch, installations: { findInstallation: async () => null } },
  });
  let reading: ReturnType<typeof readApp> | null = null;
  const read = (signal: AbortSignal) => {
    reading ??= readApp(clients.app, signal);
    return reading;
  };
  return {
    asked: (signal: AbortSignal): Promise<unknown> => read(signal),
    probes: (mode: ServiceMode | CausewayError, signal: AbortSignal): readonly Probe[] => {
      const publicUrl = !(mode instanceof CausewayError) && mode.kind === 'github' ? mode.publicUrl : '';
      return [
        ...appProbes(config, credentials.appId, () => read(signal)),
        // After the App itself: where that is not believed nothing more is asked.
        webhookProbe(config, { publicUrl, now }, async (until) => {
          const app = await read(signal).catch(() => null);
          return app && (await readHook(clients.app, until));
        }),
        publicUrlProbe(publicUrl),
      ];
    },
    [Symbol.dispose]: () => clients[Symbol.dispose](),
  };
}

/** Where the clock of the model's endpoint is asked for; "" for none. */
function modelUrlOf({ model }: Config): string {
  return model.kind === 'endpoint' ? chooseEndpoint(model).baseUrl : '';
}
