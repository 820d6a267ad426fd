/** How a client reaches a server. The HTTP transport dials a socket; the testing kit hands requests over in process. */
export interface Transport {
  /** The server's name and port, as metrics tell it. Absent where there is none. */
  readonly host?: string
  send(request: TransportRequest): Promise<TransportResponse>
  /** Releases kept connections. Requests under way end with their signals. */
  close(): Promise<void>
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, beginning with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  readonly signal?: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body in chunks; must be read to its end or returned early. */
  readonly body: AsyncIterable<Uint8Array>
}
