import type { GlideClient } from "@valkey/valkey-glide"

/**
 * Closes a client and lets go of its socket. GLIDE's own `close` waits for its core, which a request without a reply
 * holds up until it times out, and the process would live as long. The socket is private to GLIDE: where it is gone
 * from its place, that wait is back, and a test says so.
 */
export const hangUp = (client: GlideClient): void => {
  client.close()
  const { socket } = client as unknown as { readonly socket?: { readonly destroy?: () => void } }
  socket?.destroy?.()
}
