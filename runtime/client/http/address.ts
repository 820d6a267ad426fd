/** The port of an address; where it names none, that of its protocol. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : protocol === 'http:' ? 80 : 1080
}

/** The host of an address: version 6 addresses stand in brackets there. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
