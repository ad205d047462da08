// Reads a request's body up to a limit. hono/body-limit was tried: it copies a chunked body into `new Request(request)`,
// which throws for the requests of @hono/node-server, so that every chunked upload ended in 500.

/** The bytes; `too_large` before more than the limit is read; `incomplete` where the client stopped early. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | 'too_large' | 'incomplete'> {
  if (Number(request.headers.get('Content-Length') ?? '0') > maxBytes) return 'too_large';
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      size += read.value.byteLength;
      // The reader is not cancelled: that would close the connection before the answer is out.
      if (size > maxBytes) return 'too_large';
      chunks.push(read.value);
    }
  } catch {
    return 'incomplete';
  }
  return Buffer.concat(chunks, size);
}
