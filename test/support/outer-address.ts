import { networkInterfaces } from 'node:os'

/** The address at which this machine is reached from outside; undefined where it has none but loopback. */
export function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
}
