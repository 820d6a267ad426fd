/** What makes servers with TLS; loads `node:https` on the first call. */
export function loadSecureServer(): Promise<typeof import('./secure-server.ts')> {
  return import('./secure-server.ts')
}
