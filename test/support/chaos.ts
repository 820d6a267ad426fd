import type { Transport, TransportResponse } from '../../runtime/client/client.ts'

/** A transport in front of a real one, with hands on its watches. */
export interface Chaos extends Transport {
  /** Breaks every open watch as a lost connection would. */
  cut(): void
  /** Answers the next watch as a server does that has forgotten its history. */
  forget(): void
  /** Refuses everything until `heal`. */
  down(): void
  heal(): void
  /** Lists and watches so far. */
  readonly lists: number
  readonly watches: number
}

export function createChaos(real: Transport): Chaos {
  const cuts = new Set<() => void>()
  let forgotten = false
  let dead = false
  let lists = 0
  let watches = 0

  return {
    async send(request) {
      if (dead) throw new Error('connection refused')
      const watch = request.path.includes('watch=true')
      if (watch) watches++
      else if (request.method === 'GET' && request.path.includes('limit=')) lists++
      if (!watch) return real.send(request)
      if (forgotten) {
        forgotten = false
        return expired()
      }
      const response = await real.send(request)
      return { ...response, body: breakable(response.body) }
    },
    close: () => real.close(),
    cut() {
      for (const cut of cuts) cut()
    },
    forget() {
      forgotten = true
    },
    down() {
      dead = true
      this.cut()
    },
    heal() {
      dead = false
    },
    get lists() {
      return lists
    },
    get watches() {
      return watches
    },
  }

  async function* breakable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    let cut = (): void => {}
    const broken = new Promise<never>((_, reject) => {
      cut = () => reject(new Error('connection reset'))
    })
    broken.catch(() => {})
    cuts.add(cut)
    const chunks = body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await Promise.race([chunks.next(), broken])
        if (next.done) return
        yield next.value
      }
    } finally {
      cuts.delete(cut)
      void chunks.return?.()
    }
  }
}

const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 }

function expired(): TransportResponse {
  const text = JSON.stringify({ ...status, message: 'too old resource version' })
  return { status: 410, headers: {}, body: bytes(text) }
}

async function* bytes(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text)
}
