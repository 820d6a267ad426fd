/**
 * The loopback client: the verbs of the client module over a registry of the same process, without HTTP and JSON.
 *
 *  1. It keeps the promises of `Resource`: the same errors, resourceVersions, watches that end with their signal. What
 *     runs on a client (informers, controllers) runs on it unchanged.
 *  2. Objects are those that the registry keeps parsed: they are shared and must not be changed.
 *  3. It writes as the server itself: field managers have the server's name, and every right is granted.
 */
export { createLoopbackClient, type LoopbackClientOptions } from './loopback-client.ts'
