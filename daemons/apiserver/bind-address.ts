import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Why the server may not listen on an address; undefined if it may. Over plain HTTP requests have no credentials, so
 * every program that reaches the port may do everything: only programs on this machine may reach it.
 */
export function bindProblem(address: string, port: number): string | undefined {
  if (isLoopback(address)) return undefined
  return [
    `--bind-address ${address}: plain HTTP has no credentials, so only a loopback address (127.0.0.1, ::1) is allowed.`,
    'To serve other machines, listen with TLS: --secure-port 6443 --client-ca-file FILE, and --authorization-mode RBAC.',
    `To reach the server from another machine without, forward its port: ssh -L ${port}:127.0.0.1:${port} THIS-MACHINE`,
  ].join('\n')
}

/** True for an address that only programs of this machine reach. */
export function isLoopback(address: string): boolean {
  if (address === 'localhost') return true
  const version = isIP(address)
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6')
}
