package emacs

import (
	"fmt"
	"strings"
)

// maxBuffer bounds the text of a buffer that is read or changed, in characters.
const maxBuffer = 64 << 20

// quoteLisp returns the Lisp string with these bytes. Everything but letters,
// digits and a few signs is an octal escape, so no byte can end the string, and
// none depends on the coding system in which Emacs reads the request.
func quoteLisp(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '.', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// wrapProgram is around every program. Its arguments are the time, in seconds,
// after which Emacs must not begin, and the program, whose value is a list. What
// Emacs prints is that value in base64, which passes every coding system, the
// pretty printer and the splitting of answers unharmed. Nothing may prompt, and an
// error must not open the debugger.
const wrapProgram = `(let ((debug-on-error nil) (debug-on-signal nil) (debug-on-quit nil) (inhibit-interaction t) (inhibit-message t)
 (message-log-max nil) (file-name-handler-alist nil) (print-length nil) (print-level nil) (print-circle nil) (print-quoted nil)
 (print-escape-newlines nil) (print-escape-nonascii nil) (print-escape-multibyte nil) (print-escape-control-characters nil))
 (base64-encode-string (encode-coding-string (prin1-to-string
  (cond ((< emacs-major-version 28) (list 'old emacs-version))
   ((> (float-time) %.3f) (list 'late))
   (t (condition-case err (let ((decode (lambda (s) (decode-coding-string s 'utf-8-unix)))) %s)
    (error (list 'error (error-message-string err)))
    (quit (list 'error "interrupted"))))))
 'utf-8-unix) t))`

const statusProgram = `(list 'ok emacs-version (emacs-pid)
 (and create-lockfiles (not (bound-and-true-p lock-file-name-transforms)))
 (let ((found nil)) (dolist (b (buffer-list) (nreverse found))
  (let ((f (buffer-file-name b)))
   (and f (buffer-modified-p b) (< (length found) 200) (string-match-p "\\.org\\(_archive\\)?\\'" f)
    (push (expand-file-name (buffer-local-value 'buffer-file-truename b)) found)))))
)`

const bufferProgram = `(let ((b (find-buffer-visiting (funcall decode %s))))
 (if (null b) (list 'none)
  (with-current-buffer b (list 'ok (and (buffer-modified-p) t) (and buffer-read-only t) (and (buffer-narrowed-p) t)
   (not (verify-visited-file-modtime b))
   (and (or (bound-and-true-p auto-revert-mode) (bound-and-true-p global-auto-revert-mode)) t)))))`

// revertProgram does not look whether the file is newer: a file written in the same
// tick of the clock would not be.
const revertProgram = `(let ((b (find-buffer-visiting (funcall decode %s))))
 (cond ((null b) (list 'none))
  ((buffer-modified-p b) (list 'modified))
  (t (with-current-buffer b (save-restriction (revert-buffer t t t)) (list 'ok)))))`

const variablesProgram = `(let ((out nil))
 (dolist (name (list %s))
  (let ((s (intern-soft name)))
   (when (and s (default-boundp s))
    (let ((text (ignore-errors (prin1-to-string (default-value s)))))
     (when (and text (< (length text) 65536))
      (push (list name (substring-no-properties text)) out))))))
 (list 'ok out))`

// codingProgram is around programs that read a buffer's bytes: in the buffer of
// the file, without narrowing, with coding as what it is saved in.
const codingProgram = `(let ((b (find-buffer-visiting (funcall decode %s))))
 (cond ((null b) (list 'none))
  ((not (buffer-modified-p b)) (list 'clean))
  (t (with-current-buffer b (save-excursion (save-restriction (widen)
   (let* ((coding (or buffer-file-coding-system 'undecided)) (kind (coding-system-type coding)))
    (cond ((not (memq kind '(utf-8 undecided))) (list 'coding (symbol-name coding)))
     ((> (buffer-size) %d) (list 'large))
     (t (when (eq kind 'undecided) (setq coding (coding-system-change-text-conversion coding 'utf-8)))
      (let ((hash (lambda () (secure-hash 'sha256 (encode-coding-string (buffer-substring-no-properties (point-min) (point-max)) coding)))))
 %s))))))))))`

// readProgram writes the buffer's text into an existing file of ours.
const readProgram = `(let ((coding-system-for-write coding) (write-region-annotate-functions nil) (write-region-post-annotation-function nil)
 (write-region-inhibit-fsync t) (create-lockfiles nil))
 (write-region (point-min) (point-max) (funcall decode %s) nil 'silent)
 (list 'ok (funcall hash)))`

// swapProgram replaces the characters from %d to %d, if the buffer's hash is the
// first string, by the text in the form that inlineText or fileText give. Unless
// the hash is the last string then, the buffer is as it was. Keeping point and
// markers takes a fifth of a second at most.
const swapProgram = `(let ((from (1+ %d)) (to (1+ %d)) (before %s) (text %s) (after %s) (inhibit-quit t))
 (cond (buffer-read-only (list 'read-only))
  ((not (equal before (funcall hash))) (list 'conflict))
  (t (let ((new (generate-new-buffer " *lectern*" t)) (here (current-buffer)))
   (unwind-protect (progn
     (with-current-buffer new (insert (funcall decode text)))
     (undo-boundary)
     (atomic-change-group
      (if (= from to) (progn (goto-char from) (insert (with-current-buffer new (buffer-string))))
       (save-restriction (narrow-to-region from to) (replace-buffer-contents new 0.2)))
      (unless (equal after (funcall hash)) (error "the change cannot be made in this buffer")))
     (undo-boundary)
     (list 'ok))
    (kill-buffer new))))))`

// fileText reads the text of swapProgram from a file.
const fileText = `(with-temp-buffer (set-buffer-multibyte nil) (insert-file-contents-literally (funcall decode %s)) (buffer-string))`
