// What is filled in on the set-up page, read from an untrusted form.
import { z } from 'zod';
import { readLimited } from '../../core/abortable.ts';
import { INSTALL_KINDS, type InstallKind } from './manifest.ts';

export interface SetupForm {
  readonly code: string;
  /** Login of the organisation that is to own the App; "": the person who is signed in. */
  readonly organisation: string;
  readonly name: string;
  readonly kind: InstallKind;
  readonly publicUrl: string;
}

export type ReadForm =
  | { readonly kind: 'form'; readonly form: SetupForm }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

const MOST_BYTES = 16 * 1024;

const NO_ADDRESS = 'The address begins with https:// (or http://) and has no user name, query or fragment.';

const Form = z.object({
  code: z.string(),
  owner: z.enum(['user', 'organisation'], 'Choose whether you or an organisation owns the App.'),
  organisation: z.string(),
  name: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,33}$/, 'The name has 1 to 34 letters, digits, spaces, dots and hyphens.'),
  kind: z.enum(INSTALL_KINDS, 'Choose what the App may do.'),
  publicUrl: z.string().transform((text, { issues }) => {
    const address = addressOf(text.trim());
    if (address !== null) return address;
    issues.push({ code: 'custom', input: text, message: NO_ADDRESS });
    return z.NEVER;
  }),
});

/** Null where it is no form of at most 16 KiB. */
export async function readForm(request: Request): Promise<ReadForm | null> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  const text = type === 'application/x-www-form-urlencoded' ? await readText(request) : null;
  if (text === null) return null;
  const blank = { code: '', organisation: '', name: '', publicUrl: '' };
  const parsed = Form.safeParse({ ...blank, ...Object.fromEntries(new URLSearchParams(text)) });
  if (!parsed.success) return { kind: 'faults', faults: parsed.error.issues.map(({ message }) => message) };
  const { owner, ...values } = parsed.data;
  const organisation = owner === 'organisation' ? values.organisation.trim() : '';
  if (owner === 'organisation' && !/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/.test(organisation)) {
    return { kind: 'faults', faults: ['Give the name of the organisation as it stands in its address on GitHub.'] };
  }
  return { kind: 'form', form: { ...values, organisation } };
}

async function readText(request: Request): Promise<string | null> {
  const { bytes, isWhole } = await readLimited(request.body, MOST_BYTES);
  return isWhole ? Buffer.from(bytes).toString('utf8') : null;
}

/** As the URL parser writes it, so that nothing but an address gets into the manifest; without a slash at its end. Null where it is none. */
function addressOf(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '' || /[?#]/.test(url.href)) return null;
  return url.href.replace(/(?<!\/)\/+$/, '');
}
