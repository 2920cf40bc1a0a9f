import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NodeOptions } from "@echomq/test-node"

/** A certificate authority, and a leaf that it has signed: the driver takes no self-signed certificate. */
export interface Certificates {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

/** Runs `openssl` in a directory of its own, and reads what it left there. */
const within = <A>(
  make: (openssl: (...args: ReadonlyArray<string>) => void, text: (name: string) => string, path: string) => A
): A => {
  const directory = mkdtempSync(join(tmpdir(), "echomq-certificates-"))
  try {
    return make(
      (...args) => execFileSync("openssl", args, { cwd: directory, stdio: "ignore" }),
      (name) => readFileSync(join(directory, name), "utf8"),
      directory
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Makes certificates for one name, such as `IP:127.0.0.1`. */
export const certificatesFor = (subject: string): Certificates =>
  within((openssl, text, directory) => {
    openssl("req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.crt")
    openssl("req", ...newKey, "-subj", "/CN=leaf", "-keyout", "leaf.key", "-out", "leaf.csr")
    writeFileSync(join(directory, "leaf.ext"), `subjectAltName=${subject}\nbasicConstraints=CA:FALSE\n`)
    const signed = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"]
    openssl("x509", "-req", "-in", "leaf.csr", ...signed, "-extfile", "leaf.ext", "-out", "leaf.crt")
    return { ca: text("ca.crt"), certificate: text("leaf.crt"), key: text("leaf.key") }
  })

/** A certificate that is its own authority. */
export const selfSigned = (subject: string): Certificates =>
  within((openssl, text) => {
    const named = ["-days", "2", "-subj", "/CN=self", "-addext", `subjectAltName=${subject}`]
    openssl("req", "-x509", ...newKey, ...named, "-keyout", "self.key", "-out", "self.crt")
    return { ca: text("self.crt"), certificate: text("self.crt"), key: text("self.key") }
  })

/** A node that serves TLS with these certificates, and asks clients for none. */
export const tlsNode = ({ ca, certificate, key }: Certificates): NodeOptions => ({
  tls: true,
  files: { "ca.crt": ca, "leaf.crt": certificate, "leaf.key": key },
  args: [
    ...["--tls-cert-file", "leaf.crt", "--tls-key-file", "leaf.key", "--tls-ca-cert-file", "ca.crt"],
    ...["--tls-auth-clients", "no"]
  ]
})
