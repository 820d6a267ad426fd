/** Carries requests to a server. `httpTransport` sends them over sockets; the testing kit hands them over in process. */
export interface Transport {
  /** The server's name and port, for metrics. Absent where there is none. */
  readonly host?: string
  /** Has `hear`, and no earlier one, told how many milliseconds each look-up of the server's name takes. Absent where none is looked up. */
  onLookup?(hear: (ms: number) => void): void
  /** What a 401 means for who sends requests here: `the server does not accept its bearer token`. */
  readonly refusedCredentials?: string
  /**
   * Sends a request; resolves when the head of its response is there, whatever its status.
   *
   * @throws Error if there is no response: no server, a broken connection, an aborted signal.
   */
  send(request: TransportRequest): Promise<TransportResponse>
  /** Releases kept connections. Requests under way end with their signals. */
  close(): Promise<void>
}

/** One HTTP request. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, beginning with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Ends the request and the body of its response. */
  readonly signal?: AbortSignal
  /** Asked once more at the moment in which the request goes out, where that is later: what it throws ends the request. */
  readonly beforeWrite?: () => void
}

/** One HTTP response. Header names are lower case. */
export interface TransportResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body in chunks; must be read to its end or returned early. */
  readonly body: AsyncIterable<Uint8Array>
}
