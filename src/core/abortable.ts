// Waiting and reading that an AbortSignal can end.

/** The promise's outcome or the signal's reason, whichever comes first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface LimitedBody {
  /** At most the limit. */
  readonly bytes: Uint8Array;
  /** False if the stream is longer. */
  readonly isWhole: boolean;
}

/**
 * Reads to the end or the limit; throws the signal's reason. Never cancels the stream, since a server still has to
 * answer on that connection; the reader of a response cancels the rest.
 */
export async function readLimited(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<LimitedBody> {
  signal?.throwIfAborted();
  const reader = stream?.getReader();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (reader !== undefined) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) break;
      chunks.push(value);
      size += value.byteLength;
      if (size > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false };
    }
    return { bytes: Buffer.concat(chunks), isWhole: true };
  } finally {
    signal?.removeEventListener('abort', onAbort);
    reader?.releaseLock();
  }
}
