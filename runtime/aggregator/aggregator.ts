/**
 * Group versions for which other servers answer: which they are, what those servers say of them, and requests that are passed on.
 *
 *  1. A server learns who asks from headers, which it believes because of our certificate. No credentials of a
 *     client are passed on.
 *  2. Whatever a server sends may be wrong, too large, too late, or never come. What it says of its group version concerns that
 *     group version alone.
 *  3. A change counts for requests from then on. Those that are under way go on.
 *  4. Nothing of it is loaded before there is such a group version.
 */
export { addressText, connectionError } from './connection-errors.ts'
export type { PassedRequest } from './identity-headers.ts'
export { type ProxyCertificate, UnreachableError } from './remote-connection.ts'
export type { RemoteSchema } from './remote-schema.ts'
export {
  type PassedBack,
  type PassedOn,
  type RemoteDiscovery,
  RemoteServer,
  type RemoteSurroundings,
  ServiceUnavailable,
  WrongAuthorities,
} from './remote-server.ts'
export { type RemoteServerMap, type RemoteServerOptions, RemoteServers } from './remote-servers.ts'
export { type RemoteVersion, remotePath, remoteVersion } from './remote-version.ts'
