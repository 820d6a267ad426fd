/**
 * Streams: connections that carry several streams, as clients ask for them when they run commands and forward ports.
 *
 *  1. A client that asks for `SPDY/3.1` or for a websocket gets it; what the streams are is said by a second protocol, which it
 *     offers by name.
 *  2. A side that reads slowly holds back the side that writes: nothing is kept beyond the buffers of the streams.
 *  3. When the connection ends, so do all its streams.
 */
export {
  acceptCommand,
  type CommandStatus,
  type CommandStreams,
  type WantedStreams,
} from './protocols/command-streams.ts'
export { UpgradeRefused, type UpgradeRequest, upgradeOf } from './protocols/negotiation.ts'
export { acceptPorts, type PortConnection, portOf } from './protocols/port-streams.ts'
