/**
 * Connections: where a server is, and who one is there.
 *
 *  1. An orchconfig is read as the public client reads its own: a list of files of which the first that has an entry wins, with
 *     paths relative to their file. Its kinds are schemas of `schemas/config/clientconfig`, and findings have line and column.
 *  2. Nothing that it says is left out silently: whom to act as, a proxy, a program that gets credentials count, and what
 *     cannot be honoured is refused. A request never goes out as a stronger user than the file says.
 *  3. Files of tokens, certificates and keys are read again when they change; a program is run again when its credentials have
 *     expired or a server refuses them.
 *  4. Without any file, a process in a cluster finds what the cluster says.
 *
 * The environment and the platform's names are arguments, with those of this process and of this package as defaults.
 */

export { type ConnectOptions, connect } from './connect.ts'
export { type Environment, processEnvironment } from './environment.ts'
export { type InClusterOptions, inClusterConfig } from './in-cluster.ts'
export { loadConfig } from './load-config.ts'
export type { ConfigSelection } from './selection.ts'
export { platformOfServer } from './server-platform.ts'
