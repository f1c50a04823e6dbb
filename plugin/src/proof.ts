// Challenge authentication: each end signs the other's nonce with the token. A
// program that squats the port neither learns the token nor can it sign.

const utf8 = new TextEncoder()

/** A fresh nonce: 128 random bits as 32 hex digits. */
export function nonce(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)))
}

/** What the plugin answers to the server's challenge. */
export function pluginProof(token: string, server: string, plugin: string): Promise<string> {
  return sign(token, `lectern plugin v1\n${server}\n${plugin}`)
}

/** What a server that holds the same token must answer. */
export function serverProof(token: string, server: string, plugin: string): Promise<string> {
  return sign(token, `lectern server v1\n${plugin}\n${server}`)
}

/** Compares in constant time. */
export function sameProof(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % (b.length || 1))
  return difference === 0
}

async function sign(token: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(token), algorithm, false, ['sign'])
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text))))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
