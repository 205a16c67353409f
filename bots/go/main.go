// A bot that plays random legal actions in every match it is invited to, over one Play stream. It shows everything that a
// bot has to do: authenticate, accept, answer, and reconnect after a lost connection. To make it yours, rewrite choose.
package main

import (
	"context"
	"crypto/hmac"
	crand "crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"log"
	"math/rand"
	"net"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unicode"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "dragontooth/v1"
)

// Exit codes.
const (
	exitUsage       = 2
	exitUnreachable = 3
	exitRefused     = 4
	exitSuperseded  = 5
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
	// Age of a stream after whose end the pauses begin anew.
	steady = time.Second
	// Time during which the service may be unreachable.
	patience = 10 * time.Minute
)

// choose picks one of the legal actions: this is where your bot thinks. The decision also has the position, the score
// and both clocks.
func choose(decision *pb.Decision) string {
	return decision.LegalActions[rand.Intn(len(decision.LegalActions))]
}

// drawSecret is the secret of this player's shares of the dice: one of the tournament, or else a random one.
var drawSecret = func() string {
	if secret := os.Getenv("DRAGONTOOTH_DRAW_SECRET"); secret != "" {
		return secret
	}
	bytes := make([]byte, 32)
	if _, err := crand.Read(bytes); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bytes)
}()

// share is this player's contribution to the random draws of the matches with this commitment, so that nobody can choose
// them. Matches that share a seed get the same one.
func share(commitment string) string {
	mac := hmac.New(sha256.New, []byte(drawSecret))
	mac.Write([]byte("dragontooth.share.v1\x00" + commitment))
	return hex.EncodeToString(mac.Sum(nil))
}

// ask calls choose. A panic in it is the failure of this match; the other matches continue.
func ask(decision *pb.Decision) (action, failure string) {
	defer func() {
		if why := recover(); why != nil {
			failure = fmt.Sprintf("panic: %v", why)
			log.Printf("match %s: %s\n%s", decision.MatchId, failure, debug.Stack())
		}
	}()
	return choose(decision), ""
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	rand.Seed(time.Now().UnixNano())
	token := os.Getenv("DRAGONTOOTH_TOKEN")
	if token == "" {
		fail(exitUsage, "DRAGONTOOTH_TOKEN is not set: it is the player's secret, 16 to 256 visible ASCII characters")
	}
	// A signal ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	connection, err := connect(os.Getenv("DRAGONTOOTH_SERVER"))
	if err != nil {
		fail(exitUsage, err.Error())
	}
	defer connection.Close()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)

	// The last answer in each match: a decision that is repeated gets the same one.
	answers := map[string]*pb.PlayRequest_Answer{}
	pause, heard := firstPause, time.Now()
	for {
		begun := time.Now()
		opened, err := play(ctx, pb.NewGameServiceClient(connection), answers)
		if ctx.Err() != nil {
			return
		}
		switch status.Code(err) {
		case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.Unimplemented:
			fail(exitRefused, "the service refuses: "+explain(err))
		}
		if opened {
			heard = time.Now()
			// A service that ends every stream at once is not flooded.
			if heard.Sub(begun) > steady {
				pause = firstPause
			}
		}
		if time.Since(heard) > patience {
			fail(exitUnreachable, "no connection: "+explain(err))
		}
		log.Printf("disconnected: %s; trying again in %s", explain(err), pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + time.Duration(rand.Int63n(int64(pause)/2))):
		}
		if pause *= 2; pause > lastPause {
			pause = lastPause
		}
	}
}

// connect prepares a connection to http://host:port, which may be written host:port, or with TLS to https://host:port. The
// first call opens it.
func connect(server string) (*grpc.ClientConn, error) {
	if server == "" {
		server = "http://127.0.0.1:4640"
	}
	hasScheme := strings.Contains(server, "://")
	if !hasScheme {
		server = "http://" + server
	}
	address, err := url.Parse(server)
	if err != nil || address.Hostname() == "" || (address.Scheme != "http" && address.Scheme != "https") ||
		(address.Port() == "" && !hasScheme) {
		return nil, fmt.Errorf("%q is not an address of a service such as http://127.0.0.1:4640", server)
	}
	if address.Scheme == "http" && !isLoopback(address.Hostname()) && os.Getenv("DRAGONTOOTH_INSECURE_NO_TLS") != "true" {
		return nil, fmt.Errorf("the token would cross the network in the clear: %s does not use TLS; use https://, or "+
			"allow it with DRAGONTOOTH_INSECURE_NO_TLS=true", server)
	}
	host, security := address.Host, grpc.WithInsecure()
	if address.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[address.Scheme]
	}
	if address.Scheme == "https" {
		certificates := credentials.NewTLS(&tls.Config{})
		if file := os.Getenv("DRAGONTOOTH_TLS_CA"); file != "" {
			if certificates, err = credentials.NewClientTLSFromFile(file, ""); err != nil {
				return nil, err
			}
		}
		security = grpc.WithTransportCredentials(certificates)
	}
	// Pings find out that an idle connection is dead.
	alive := keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 20 * time.Second}
	return grpc.Dial(host, security, grpc.WithKeepaliveParams(alive))
}

// isLoopback returns true if a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// play serves one stream to its end and returns true if it was opened. A new stream repeats everything that is due.
func play(
	ctx context.Context, games pb.GameServiceClient, answers map[string]*pb.PlayRequest_Answer,
) (opened bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := games.Play(ctx)
	if err != nil {
		return false, err
	}
	start := &pb.PlayRequest{Request: &pb.PlayRequest_Start_{Start: &pb.PlayRequest_Start{}}}
	if err := stream.Send(start); err != nil {
		_, err = stream.Recv()
		return false, err
	}
	for {
		message, err := stream.Recv()
		if err != nil {
			return opened, err
		}
		opened = true
		// A request that cannot be sent becomes due again on the next stream; Recv returns the reason.
		switch said := message.Response.(type) {
		case *pb.PlayResponse_Ready_:
			log.Printf("connected as player %s", said.Ready.PlayerId)
		case *pb.PlayResponse_Invitation_:
			accept := &pb.PlayRequest_AcceptInvitation{
				MatchId: said.Invitation.Match.Id, Name: "go-random", Seed: share(said.Invitation.Match.SeedCommitment),
			}
			_ = stream.Send(&pb.PlayRequest{Request: &pb.PlayRequest_AcceptInvitation_{AcceptInvitation: accept}})
		case *pb.PlayResponse_Decision:
			decision := said.Decision
			answer := answers[decision.MatchId]
			if answer == nil || answer.DecisionId != decision.DecisionId {
				action, failure := ask(decision)
				if failure != "" {
					_ = stream.Send(resign(decision.MatchId, failure))
					break
				}
				answer = &pb.PlayRequest_Answer{
					MatchId: decision.MatchId, DecisionId: decision.DecisionId, Action: action,
					// The same answer to the same decision is the same request, however often it is sent.
					RequestId: fmt.Sprintf("%s:%d", decision.MatchId, decision.DecisionId),
				}
				answers[decision.MatchId] = answer
			}
			_ = stream.Send(&pb.PlayRequest{Request: &pb.PlayRequest_Answer_{Answer: answer}})
		case *pb.PlayResponse_Refused_:
			refused := status.FromProto(said.Refused.Status)
			log.Printf("match %s: refused: %s", said.Refused.MatchId, explain(refused.Err()))
			if delay, passes := retryDelay(refused); passes {
				// The decision stays due: a new stream repeats it.
				time.Sleep(delay)
				return opened, refused.Err()
			}
			switch reason(refused) {
			case "ILLEGAL_ACTION", "ACTION_UNREADABLE", "FIELD_INVALID":
				// It would choose the same again, so the opponent should not have to wait.
				_ = stream.Send(resign(said.Refused.MatchId, explain(refused.Err())))
			case "REQUEST_ID_REUSED":
				// An earlier run of this program gave another answer, which was refused.
				if answer := answers[said.Refused.MatchId]; answer != nil {
					answer.RequestId += "+"
					_ = stream.Send(&pb.PlayRequest{Request: &pb.PlayRequest_Answer_{Answer: answer}})
				}
			}
		case *pb.PlayResponse_MatchClosed_:
			match := said.MatchClosed.Match
			delete(answers, match.Id)
			log.Printf("match %s ended: %s, %s", match.Id, match.Outcome.GetWinner(), match.Outcome.GetTermination())
		case *pb.PlayResponse_Closing_:
			if said.Closing.Reason == pb.CloseReason_CLOSE_REASON_SUPERSEDED {
				fail(exitSuperseded, "another program is now playing with the same token")
			}
		}
	}
}

// resign gives a match up because of a failure, which the service publishes: one line of at most 1024 bytes.
func resign(matchID, failure string) *pb.PlayRequest {
	line := strings.Map(func(letter rune) rune {
		if unicode.IsControl(letter) {
			return ' '
		}
		return letter
	}, failure)
	if len(line) > 1024 {
		line = strings.ToValidUTF8(line[:1024], "")
	}
	given := &pb.PlayRequest_Resign{MatchId: matchID, Reason: line}
	return &pb.PlayRequest{Request: &pb.PlayRequest_Resign_{Resign: given}}
}

// explain returns the message of an error with its reason, which docs/errors.md explains, or else its code.
func explain(err error) string {
	refusal := status.Convert(err)
	if reason := reason(refusal); reason != "" {
		return fmt.Sprintf("%s (%s)", refusal.Message(), reason)
	}
	return fmt.Sprintf("%s (%s)", refusal.Message(), refusal.Code())
}

// reason returns the reason for programs; it is empty if the request did not reach the service's own code.
func reason(refusal *status.Status) string {
	for _, detail := range refusal.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.Reason
		}
	}
	return ""
}

// retryDelay returns the time after which the same request may succeed, and whether it may at all.
func retryDelay(refusal *status.Status) (time.Duration, bool) {
	for _, detail := range refusal.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			delay := info.RetryDelay
			return time.Duration(delay.GetSeconds())*time.Second + time.Duration(delay.GetNanos()), true
		}
	}
	return 0, false
}

func fail(code int, message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(code)
}
