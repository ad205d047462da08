// `causeway verify-proof`: a certificate from a file, standard input or a pull request, checked against GitHub.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { VerifyProofCommand } from '../cli/command-line.ts';
import { formatVerifiedProof } from '../cli/operator-text.ts';
import type { ExitCode, Io } from '../cli/terminal.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { verifyProof } from '../github/verify-proof.ts';
import { createCheckReader } from '../services/checks/check-texts.ts';
import { USER_AGENT } from './services.ts';

export async function verifyProofCommand(
  { certificate }: VerifyProofCommand,
  { config, io }: { readonly config: Config; readonly io: Io },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { githubToken: token, githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  await using reader = createCheckReader();
  const source = /^https?:\/\//i.test(certificate)
    ? ({ kind: 'address', url: certificate } as const)
    : ({ kind: 'text', text: await readCertificate(path.resolve(io.cwd, certificate)) } as const);
  const options = { token, apiUrl, webUrl, userAgent: USER_AGENT, readCheck: reader.readCheck };
  const verified = await verifyProof(source, options, signal);
  io.out(formatVerifiedProof(verified));
  return verified.faults.length === 0 ? 0 : 1;
}

async function readCertificate(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CausewayError('usage', `${file} cannot be read: give a certificate or the address of a pull request.`, {
      cause,
    });
  }
}
