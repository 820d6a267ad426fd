/**
 * The server of a node's agent: what the API server passes on to the node.
 *
 *  1. Paths are parts of the node, and who may have them is asked of those who are given: nothing is decided here.
 *  2. Logs are read off the files that the runtime writes; commands, programs and ports are streams of the runtime, joined with the
 *     streams of the client.
 *  3. What cannot be answered is a plain text with a status, in the words of release 1.29.
 *  4. No part of a path is a path of the machine, but below `/logs/`, which nothing leads out of.
 */
export type { NodeView } from './contract/node-view.ts'
export { type NodeUsage, readUsage } from './contract/usage.ts'
export type { AgentAccess } from './running/access.ts'
export {
  type AgentPort,
  type AgentPortOptions,
  serveAgentPort,
} from './running/serve-agent-port.ts'
