;;; agenda.el --- print agendas as Emacs makes them -*- lexical-binding: t; -*-
;; emacs -Q --batch -l agenda.el -f agenda-run CASES.json
;; prints one JSON object a line for each case: name, error, lines. A line is
;; day, file, line of the heading, kind, leader, time, text, tags, priority.

(require 'json)
(require 'org)
(require 'org-agenda)
(require 'org-clock)

(setq make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      enable-local-variables nil
      vc-handled-backends nil
      org-element-use-cache nil
      org-inhibit-startup t
      org-agenda-inhibit-startup t
      org-agenda-tags-column -80
      gc-cons-threshold (* 128 1024 1024)
      inhibit-message t
      ring-bell-function 'ignore)
(fset 'sleep-for 'ignore)
(fset 'beep 'ignore)

(defun agenda-line ()
  "Return what the line at point is, nil for a heading or a line of the grid."
  (let ((marker (get-text-property (point) 'org-marker)) (p (1+ (point))))
    (when marker
      (let ((m (or (get-text-property p 'org-hd-marker) marker)))
        (list (get-text-property (point) 'day)
              (file-name-nondirectory (buffer-file-name (marker-buffer m)))
              (with-current-buffer (marker-buffer m)
                (save-excursion (goto-char m) (org-back-to-heading t) (line-number-at-pos)))
              (get-text-property p 'type)
              (get-text-property p 'extra)
              (get-text-property p 'time)
              (substring-no-properties (get-text-property p 'txt))
              (apply 'vector (mapcar 'substring-no-properties (get-text-property p 'tags)))
              (get-text-property p 'priority))))))

(defun agenda-case (case)
  "Print the agenda of CASE."
  (let-alist case
    (let ((saved nil) lines text error)
      (dolist (var .vars)
        (when (boundp (car var)) (push (cons (car var) (default-value (car var))) saved))
        (set-default (car var) (car (read-from-string (cdr var)))))
      (condition-case e
          (progn
            (setq org-agenda-files (append .files nil))
            (org-agenda-list nil (org-time-string-to-absolute .start) .days)
            (with-current-buffer org-agenda-buffer-name
              (setq text (buffer-substring-no-properties (point-min) (point-max)))
              (goto-char (point-min))
              (while (not (eobp))
                (let ((line (agenda-line))) (when line (push (apply 'vector line) lines)))
                (forward-line))))
        (error (setq error (error-message-string e))))
      (dolist (buffer (buffer-list))
        (when (buffer-file-name buffer) (with-current-buffer buffer (set-buffer-modified-p nil)) (kill-buffer buffer)))
      (dolist (s saved) (set-default (car s) (cdr s)))
      (let ((coding-system-for-write 'utf-8))
        (princ (json-encode (list (cons 'name .name) (cons 'error error) (cons 'text text)
                                  (cons 'lines (apply 'vector (nreverse lines))))))
        (terpri)))))

(defun agenda-run ()
  "Print the agendas of the cases in the file on the command line."
  (setq standard-output t)
  (let* ((json-object-type 'alist) (json-array-type 'list)
         (cases (json-read-file (pop command-line-args-left))))
    (mapc 'agenda-case cases)))

(defun clock-case (case)
  "Print how much time is recorded at the headlines of CASE."
  (let-alist case
    (let (out)
      (with-current-buffer (find-file-noselect (car .files))
        (if .days
            (let ((start (org-time-string-to-time (concat "<" .start ">"))))
              (org-clock-sum start (time-add start (days-to-time .days))))
          (org-clock-sum))
        (org-map-entries
         (lambda ()
           (let ((n (get-text-property (point) :org-clock-minutes)))
             (when (and n (> n 0)) (push (list (line-number-at-pos) n) out)))))
        (set-buffer-modified-p nil)
        (kill-buffer))
      (princ (json-encode (list (cons 'name .name) (cons 'clocks (apply 'vector (nreverse out))))))
      (terpri))))

(defun clock-run ()
  "Print the recorded time of the cases in the file on the command line."
  (setq standard-output t)
  (let* ((json-object-type 'alist) (json-array-type 'list)
         (cases (json-read-file (pop command-line-args-left))))
    (mapc 'clock-case cases)))
