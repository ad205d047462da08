// Room for the bodies of forms while they are read: each bounded, and the large ones together.

/** `together`: bytes of all bodies that are being read, beyond which no large one is taken. */
export const FORM_BYTES = {
  /** Before the sign-in, when anybody may send. */
  stranger: 4 * 1_024,
  ordinary: 64 * 1_024,
  /** 1 MiB of text takes up to 3 MiB in a form, 9 where it is not Latin. */
  report: 12 * 1_024 * 1_024,
  together: 64 * 1_024 * 1_024,
} as const;

export type FormBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'no_room' }
  | { readonly kind: 'cut' };

/** Reads one body of at most `most` bytes. */
export type ReadBody = (request: Request, most: number) => Promise<FormBody>;

/**
 * A reader that counts all bodies which it is reading. Those of ordinary forms are taken however many large ones are under way. A body
 * that is refused is not cancelled: that would close the connection before the answer is out.
 */
export function createFormRoom(together: number = FORM_BYTES.together): ReadBody {
  let held = 0;
  return async (request, most) => {
    if (Number(request.headers.get('Content-Length') ?? 0) > most) return { kind: 'too_large' };
    let mine = 0;
    const takeIn = (bytes: number) => {
      mine += bytes;
      held += bytes;
      if (mine > most) return 'too_large';
      return mine > FORM_BYTES.ordinary && held > together ? 'no_room' : null;
    };
    try {
      return await readAll(request, takeIn);
    } finally {
      held -= mine;
    }
  };
}

async function readAll(
  { body }: Request,
  takeIn: (bytes: number) => 'too_large' | 'no_room' | null,
): Promise<FormBody> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  while (reader !== undefined) {
    const next = await reader.read().catch(() => null);
    if (next === null) return { kind: 'cut' };
    if (next.done) break;
    const fault = takeIn(next.value.byteLength);
    if (fault !== null) return { kind: fault };
    chunks.push(next.value);
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) };
}
