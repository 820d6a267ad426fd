import type { Transport } from '../client/client.ts'

let count = 0

/** How many requests the control planes of this process work on; open watches do not count. */
export function requestsUnderWay(): number {
  return count
}

/** A transport whose requests count until the head of their answer is there. */
export function countRequests(transport: Transport): Transport {
  return {
    ...(transport.host !== undefined && { host: transport.host }),
    async send(request) {
      count += 1
      try {
        return await transport.send(request)
      } finally {
        count -= 1
      }
    },
    close: () => transport.close(),
  }
}
