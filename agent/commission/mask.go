package commission

import "regexp"

// masked stands where a secret stood.
const masked = "(masked)"

var (
	secretKeys = regexp.MustCompile(`(?im)((?:^|[\s{,"'])["']?(?:token_sha256|token|access_token|refresh_token|password|passwd|secret|client_secret|app_secret|api_key|apikey|private_key|hmac_key|authorization)["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,}\]#]+)`)
	secretUser = regexp.MustCompile(`(://)[^/@\s"']+@`)
	secretArgs = regexp.MustCompile(`(?i)([?&](?:token|access_token|key|api_key|secret|sig|signature|password)=)[^&\s"'#]+`)
	bearers    = regexp.MustCompile(`(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{6,}`)
	digests    = regexp.MustCompile(`\b[0-9a-fA-F]{64}\b`)
	pems       = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----`)
)

// Mask takes the secrets out of a text that leaves the site: values of keys that
// name one, names and passwords in addresses, tokens, private keys, and every sum
// that a token could be guessed against. It rather takes too much.
func Mask(s string) string {
	s = pems.ReplaceAllString(s, masked)
	s = bearers.ReplaceAllString(s, `${1}`+masked)
	s = secretKeys.ReplaceAllString(s, `${1}"`+masked+`"`)
	s = secretUser.ReplaceAllString(s, `${1}`+masked+`@`)
	s = secretArgs.ReplaceAllString(s, `${1}`+masked)
	return digests.ReplaceAllString(s, masked)
}
