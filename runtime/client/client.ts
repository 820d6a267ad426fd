/**
 * The client: typed verbs over a transport.
 *
 * `createClient(transport)` gives a `Client`; `client.resource(kind)` gives the typed verbs of one kind. Errors are
 * StatusErrors, whatever the server or the network did. A watch is an AsyncIterable that ends with its signal.
 */
export { type Client, type ClientOptions, createClient, type Resource } from './resource.ts'
export { httpTransport, type Transport, type TransportRequest, type TransportResponse } from './transport.ts'
export { loadConfig, type ConnectionConfig } from './orchconfig.ts'
