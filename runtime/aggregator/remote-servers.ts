import type { APIService } from '../../generated/apis/apiregistration/v1.ts'
import { deepEqual } from '../kernel/values/deep-equal.ts'
import { RemoteServer, type RemoteSurroundings } from './remote-server.ts'
import { type RemoteVersion, remotePath, remoteVersion } from './remote-version.ts'

/** Servers by the path of the group version for which they answer: `apis/<group>/<version>`. */
export type RemoteServerMap = ReadonlyMap<string, RemoteServer>

/** Who is told of changes. */
export interface RemoteServerOptions extends RemoteSurroundings {
  /** Takes what there is from now on; undefined if there is nothing. */
  readonly serve: (servers: RemoteServerMap | undefined) => void
}

/** Milliseconds after which a server is asked again what it serves. */
const refreshMs = 60_000

/** Keeps the other servers as the objects say. */
export class RemoteServers {
  readonly #options: RemoteServerOptions
  readonly #servers = new Map<string, RemoteServer>()
  readonly #timers = new Map<string, () => void>()

  constructor(options: RemoteServerOptions) {
    this.#options = options
  }

  /** The server of an object. */
  find(name: string): RemoteServer | undefined {
    return this.#servers.get(name)
  }

  /** An object as it is now. */
  set(object: APIService): void {
    const version = remoteVersion(object)
    const { name = '' } = object.metadata
    if (version === undefined) this.delete(name)
    else this.#set(name, version)
  }

  #set(name: string, version: RemoteVersion): void {
    const before = this.#servers.get(name)
    if (deepEqual(before?.version, version)) return
    this.#servers.set(name, new RemoteServer(version, this.#options, before))
    this.#serve()
    this.#refresh(name)
  }

  /** An object that is gone. */
  delete(name: string): void {
    const server = this.#servers.get(name)
    if (server === undefined) return
    this.#timers.get(name)?.()
    this.#timers.delete(name)
    this.#servers.delete(name)
    server.retire()
    this.#serve()
  }

  /** Ends every connection and every timer. */
  close(): void {
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    for (const server of this.#servers.values()) server.close()
  }

  #serve(): void {
    const all = [...this.#servers.values()]
    const byPath = new Map(all.map((server) => [remotePath(server.version), server]))
    this.#options.serve(all.length === 0 ? undefined : byPath)
  }

  /** Asks a server now, and again and again as long as it is the one of its object. */
  #refresh(name: string): void {
    const server = this.#servers.get(name)
    const { clock, signal } = this.#options
    if (server === undefined || signal.aborted) return
    this.#timers.get(name)?.()
    this.#timers.delete(name)
    void server.refresh().then((isNew) => {
      if (this.#servers.get(name) !== server || signal.aborted) return
      if (isNew) this.#serve()
      this.#timers.set(
        name,
        clock.after(refreshMs, () => this.#refresh(name)),
      )
    })
  }
}
